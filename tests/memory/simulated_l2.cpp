// SPDX-License-Identifier: Apache-2.0
#include "simulated_l2.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

using namespace ptxlat::memory;

namespace {

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9;
  return x ^ (x >> 32);
}

}  // namespace

struct SimulatedL2::Set {
  struct Way {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint32_t sectors = 0;
  };
  std::vector<Way> ways;
  std::unique_ptr<ReplacementPolicy> policy;  // empty: random
  std::size_t used = 0;
  bool is_crowded = false;
};

SimulatedL2::SimulatedL2(L2Geometry geometry, std::uint64_t seed) : geometry_(std::move(geometry)), random_(seed) {
  auto& g = geometry_;
  info_ = {"l2", "l2", g.bytes, {"cg", "atom", "cg64", "cg128", "cg256"}, g.sms, 4096};
  if (g.side_of_sm.empty())
    for (int sm = 0; sm < g.sms; ++sm) g.side_of_sm.push_back(sm * g.partitions / g.sms);
  std::vector<std::uint64_t> pages((g.bytes + g.page_bytes - 1) / g.page_bytes);  // physical numbers
  std::iota(pages.begin(), pages.end(), random_() % 1000);
  std::shuffle(pages.begin(), pages.end(), random_);
  const auto slice_count = static_cast<std::uint64_t>(g.slices);
  for (const auto page : pages) {
    const auto constant = static_cast<int>(random_() % 2);
    for (std::uint64_t inside = 0; inside < g.page_bytes; inside += g.line_bytes) {
      const std::uint64_t physical = page * g.page_bytes + inside, line = physical / g.line_bytes;
      const std::uint64_t slice = mixed(physical / g.slice_granule) % slice_count;
      // Each set is as full as any other when a block of memory is: the line's number, turned by what is above.
      const std::uint64_t set = (line + mixed(line / g.sets / slice_count)) % g.sets;
      set_of_line_.push_back(static_cast<std::uint32_t>(slice * g.sets + set));
      home_of_line_.push_back(
          static_cast<std::uint8_t>((std::popcount(inside & g.home_mask) + constant) % 2 % g.partitions));
    }
  }
  sets_.resize(static_cast<std::size_t>(g.partitions) * static_cast<std::size_t>(g.slices) * g.sets);
  // Not from random_, so that a machine without such sets behaves as before.
  for (std::size_t i = 0; i < sets_.size(); ++i)
    sets_[i].is_crowded = static_cast<double>(mixed(seed ^ i) % 1000) < 1000 * g.crowded;
  if (g.pitch > 0)
    place_in_groups();
  else
    place_anywhere();
  translated_.resize(static_cast<std::size_t>(g.sms));
  SimulatedL2::prepare();
}

// SMs and slices are somewhere on a chip, and wires do not run straight.
void SimulatedL2::place_anywhere() {
  const auto& g = geometry_;
  std::uniform_real_distribution<double> place(0, 1);
  std::vector<std::pair<double, double>> slices(static_cast<std::size_t>(g.partitions * g.slices));
  for (auto& slice : slices) slice = {place(random_), place(random_)};
  for (int sm = 0; sm < g.sms; ++sm) {
    const std::pair<double, double> at = {place(random_), place(random_)};
    auto& row = distances_.emplace_back();
    for (const auto& slice : slices)
      row.push_back(std::round(g.spread * (std::abs(at.first - slice.first) + std::abs(at.second - slice.second) - 0.7 +
                                           0.5 * (place(random_) - 0.5))));
  }
}

void SimulatedL2::place_in_groups() {
  constexpr int clusters = 8, groups = 4;
  const auto& g = geometry_;
  std::uniform_real_distribution<double> any(-1, 1);
  const int count = g.partitions * g.slices, in_group = (g.slices + groups - 1) / groups;
  // Groups are some tens of cycles apart. Inside one, what a step costs depends on where the cluster's port is, and the
  // second of a pair is a little further for all of a cluster.
  std::vector<double> to_group, of_step, of_pair;
  for (int i = 0; i < clusters * groups * g.partitions; ++i) {
    to_group.push_back(20 * any(random_));
    of_step.push_back(g.pitch * any(random_));
    of_pair.push_back(g.pitch * any(random_));
  }
  for (int sm = 0; sm < g.sms; ++sm) {
    const double own = 5 * any(random_);
    auto& row = distances_.emplace_back();
    for (int slice = 0; slice < count; ++slice) {
      const int in_partition = slice % g.slices, at = in_partition % in_group;
      const int group = slice / g.slices * groups + in_partition / in_group;
      const auto port = static_cast<std::size_t>(sm % clusters * groups * g.partitions + group);
      row.push_back(own + to_group[port] + of_step[port] * (at / 2) + of_pair[port] * (at % 2));
    }
    for (int last = g.slices - 1; g.has_twins && last < count; last += g.slices)
      row[static_cast<std::size_t>(last)] = row[static_cast<std::size_t>(last - 1)];
  }
}

SimulatedL2::~SimulatedL2() = default;

void SimulatedL2::prepare() {
  ++calls_;
  for (Set& set : sets_) {
    if (set.used == 0 && !set.ways.empty()) continue;
    set.ways.assign(set.is_crowded ? geometry_.ways - 1 : geometry_.ways, {});
    set.used = 0;
    set.policy = geometry_.policy == "random" ? nullptr : make_policy({geometry_.policy, 0}, set.ways.size());
  }
}

double SimulatedL2::distance(int sm, std::uint64_t address, int partition) const {
  const std::uint64_t slice = set_of_line_[address / geometry_.line_bytes] / geometry_.sets;
  return distances_[static_cast<std::size_t>(sm)]
                   [static_cast<std::uint64_t>(partition) * static_cast<std::uint64_t>(geometry_.slices) + slice];
}

std::uint64_t SimulatedL2::fetch_of(const std::string& with) const {
  if (with == "cg64") return 64;
  if (with == "cg128") return 128;
  if (with == "cg256") return 256;
  return geometry_.fetch_bytes;
}

bool SimulatedL2::take(std::uint64_t address, std::uint64_t bytes, int partition) {
  const auto& g = geometry_;
  const std::uint64_t line = address / g.line_bytes;
  Set& set =
      sets_[static_cast<std::uint64_t>(partition) * static_cast<std::uint64_t>(g.slices) * g.sets + set_of_line_[line]];
  const auto sectors_of = [&](std::uint64_t block) {
    const std::uint64_t begin = std::max(address - address % block, line * g.line_bytes);
    const std::uint64_t end = std::min(address - address % block + block, (line + 1) * g.line_bytes);
    const std::uint64_t first = begin % g.line_bytes / g.sector_bytes, count = (end - begin) / g.sector_bytes;
    return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
  };
  const std::uint32_t wanted = sectors_of(g.sector_bytes), brought = sectors_of(bytes);
  std::size_t way = 0;
  while (way < set.used && set.ways[way].line != line) ++way;
  if (way < set.used) {
    if (set.policy) set.policy->hit(way);
    const bool was_there = (set.ways[way].sectors & wanted) == wanted;
    if (!was_there) set.ways[way].sectors |= brought;
    return was_there;
  }
  if (set.used < set.ways.size())
    ++set.used;
  else
    way = set.policy ? set.policy->victim() : random_() % set.ways.size();
  set.ways[way] = {line, brought};
  if (set.policy) set.policy->fill(way);
  return false;
}

bool SimulatedL2::take_at_home(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t line_bytes = geometry_.line_bytes, begin = address - address % bytes;
  const auto home = [&](std::uint64_t of) { return home_of_line_[of / line_bytes]; };
  const bool was_there = take(address, bytes, home(address));
  if (was_there || bytes <= line_bytes) return was_there;
  // A block of more than a line brings the other lines too.
  const auto first = geometry_.fetches_forward ? address - address % line_bytes : begin;
  for (std::uint64_t other = first; other < begin + bytes; other += line_bytes)
    if (other / line_bytes != address / line_bytes) take(other, line_bytes, home(other));
  return false;
}

double SimulatedL2::access_one(std::uint64_t address, bool is_atomic, std::uint64_t fetch, int sm) {
  const auto& g = geometry_;
  const int home = home_of_line_[address / g.line_bytes], side = g.side_of_sm[static_cast<std::size_t>(sm)];
  const bool is_far = home != side;
  if (is_far && !is_atomic && take(address, g.sector_bytes, side)) return g.near_hit + distance(sm, address, side);
  const double misses = take_at_home(address, fetch) ? 0 : g.miss;
  return g.near_hit + misses + (is_far ? g.far : 0) + distance(sm, address, home);
}

std::vector<double> SimulatedL2::access(const std::vector<Addresses>& list, const std::string& with, int sm) {
  ++calls_;
  std::vector<double> cycles;
  auto& pages = translated_[static_cast<std::size_t>(sm)];
  for (const Addresses& run : list) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      const std::uint64_t address = run.at(i);
      double one = access_one(address, with == "atom", fetch_of(with), sm);
      const std::uint64_t page = address / geometry_.page_bytes;
      const auto known = std::find(pages.begin(), pages.end(), page);
      if (known == pages.end()) {
        one += geometry_.translation;
        if (pages.size() >= geometry_.translated_pages) pages.erase(pages.begin());
      } else {
        pages.erase(known);
      }
      pages.push_back(page);
      one += (cycles.size() % 2 == 0 ? 1 : -1) * geometry_.swing;
      one = std::round(one + (static_cast<double>(random_() % 2001) / 1000 - 1) * geometry_.noise);
      if (static_cast<double>(random_() % 100000) < geometry_.outliers * 100000)
        one += 20 + static_cast<double>(random_() % 400);
      cycles.push_back(one);
    }
  }
  accesses_ += cycles.size();
  return cycles;
}

void SimulatedL2::touch(const std::vector<Addresses>& list, const std::string& with, int sm) {
  ++calls_;
  for (const Addresses& run : list)
    for (std::uint64_t i = 0; i < run.count; ++i) access_one(run.at(i), with == "atom", fetch_of(with), sm);
}

L2Geometry random_l2(std::mt19937_64& random) {
  const auto one_of = [&](auto... values) {
    const std::common_type_t<decltype(values)...> all[] = {values...};
    return all[random() % sizeof...(values)];
  };
  L2Geometry g;
  g.sms = static_cast<int>(12 + random() % 40);
  g.partitions = random() % 4 == 0 ? 1 : 2;
  for (int sm = 0; sm < g.sms; ++sm)
    g.side_of_sm.push_back(sm < 4 ? sm % g.partitions : static_cast<int>(random() % 2) % g.partitions);
  g.page_bytes = std::uint64_t{1} << (16 + random() % 6);
  g.slice_granule = std::uint64_t{1} << (7 + random() % 6);
  g.home_mask = random() % g.page_bytes;
  g.home_mask &= ~((std::uint64_t{1} << one_of(8, 10, 12)) - 1);
  g.home_mask |= std::uint64_t{1} << 13;
  g.slices = static_cast<int>(3 + random() % 10);
  g.line_bytes = one_of(64, 128);
  g.fetch_bytes = one_of(32, 64);
  g.sets = std::uint64_t{8} << random() % 2;
  g.ways = one_of(4, 8, 12, 16, 16, 16, 20);
  g.policy = one_of("lru", "random", "srrip", "nru", "fifo", "plru");
  if (g.policy == "plru" && !std::has_single_bit(g.ways)) g.policy = "lru";
  g.near_hit = 200 + static_cast<double>(random() % 100);
  g.far = 150 + static_cast<double>(random() % 100);
  g.miss = 300 + static_cast<double>(random() % 150);
  g.spread = 20 + static_cast<double>(random() % 15);
  while (g.near_bytes() < 256 << 10) g.sets *= 2;
  // Of few pages it could seem by chance that they follow a mask themselves.
  g.bytes = std::max(std::bit_ceil(g.near_bytes() * static_cast<std::uint64_t>(g.partitions)) * 4, 32 * g.page_bytes);
  return g;
}
