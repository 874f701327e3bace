// SPDX-License-Identifier: Apache-2.0
#include "memory/l2_capacity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/quantile.h"
#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

constexpr std::size_t most_members = 64;

}  // namespace

Eviction::Eviction(L2Talk& talk, const L2Costs& costs, std::uint64_t target)
    : talk_(talk),
      costs_(costs),
      target_(target),
      hot_(talk.hot({target}, talk.info().usual_operator(), costs.sm, 9).front()) {}

bool Eviction::evicts_once(const Pool& pool, std::uint64_t prefix, const Lines& members) {
  constexpr std::uint64_t few = 96;          // lines that are cheaper to access in one call than to touch in several
  constexpr std::uint64_t enough = 1 << 20;  // lines in one call of touch: some milliseconds of one SM
  const std::string with = talk_.info().usual_operator();
  std::vector<Addresses> list;
  bool is_forward = true;
  const auto add_lap = [&] {
    // In changing order: a policy with a tree or with bits can keep the target through identical laps.
    Lines order = members;
    std::shuffle(order.begin(), order.end(), talk_.random());
    const auto others = in_progressions(order);
    list.insert(list.end(), others.begin(), others.end());
    const auto stride = static_cast<std::int64_t>(pool.line_bytes);
    if (prefix > 0)
      list.push_back(is_forward ? Addresses{pool.base, stride, prefix}
                                : Addresses{pool.at(prefix - 1), -stride, prefix});
    is_forward = !is_forward;
  };
  const std::uint64_t lines = prefix + members.size();
  if (lines <= few) {
    list.push_back({target_, 0, 2});
    // Some policies need as many misses as there are ways before they choose the target, and a lap may only have one.
    const std::uint64_t laps = std::clamp<std::uint64_t>(2000 / std::max<std::uint64_t>(lines, 1), 10, 100);
    for (std::uint64_t lap = 0; lap < laps; ++lap) add_lap();
  } else {
    if (!is_there_) talk_.access({{target_, 0, 2}}, with, costs_.sm);
    // Within a call, the machine may reorder the laps: a second call is at least one more lap.
    const std::uint64_t laps = std::clamp<std::uint64_t>(enough / lines, 4, 12);
    for (int call = 0; call < 2; ++call) {
      list.clear();
      for (std::uint64_t lap = 0; lap < laps; ++lap) add_lap();
      talk_.touch(list, with, costs_.sm);
    }
    list.clear();
  }
  list.push_back({talk_.neighbour(target_), 0, 1});
  list.push_back({target_, 0, 3});
  const auto cycles = talk_.access(list, with, costs_.sm);
  is_there_ = true;
  return cycles[cycles.size() - 3] - hot_ > costs_.least_step() / 2;
}

bool Eviction::evicts(const Pool& pool, std::uint64_t prefix, const Lines& members) {
  // An access that took long for a different reason is seldom followed by a second one.
  return evicts_once(pool, prefix, members) && evicts_once(pool, prefix, members);
}

bool Eviction::usually_evicts(const Lines& members, int votes) {
  int yes = 0;
  for (int i = 0; i < votes; ++i) yes += evicts(members);
  return 2 * yes > votes;
}

std::optional<std::uint64_t> Eviction::last_needed(const Pool& pool, std::uint64_t most, const Lines& members) {
  if (!evicts(pool, most, members)) return std::nullopt;
  std::uint64_t inside = 0, outside = most;  // does not evict, evicts
  while (outside - inside > 1) {
    const std::uint64_t middle = inside + (outside - inside) / 2;
    (evicts(pool, middle, members) ? outside : inside) = middle;
  }
  return outside - 1;
}

Lines Eviction::minimal_set(const Pool& pool) {
  constexpr int most_failures = 40;
  Lines members;
  std::uint64_t most = pool.count;
  int failures = 0;
  while (members.empty() || !usually_evicts(members)) {
    if (members.size() == most_members || failures == most_failures) return {};
    const auto last = last_needed(pool, most, members);
    if (last && std::find(members.begin(), members.end(), pool.at(*last)) == members.end()) {
      members.push_back(pool.at(*last));
      most = *last;
    } else {
      // A chance answer has made the prefix too short: go back a little.
      ++failures;
      most = std::min(pool.count, most + most / 4 + 64);
    }
  }
  // A wrong answer has included a line that is not a member.
  for (std::size_t i = 0; i < members.size();) {
    Lines fewer = members;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (usually_evicts(fewer))
      members = fewer;
    else
      ++i;
  }
  return usually_evicts(members, 5) ? members : Lines{};
}

namespace {

// How the cache is filled and checked.
struct Filling {
  std::string with;
  int sm = 0;
  double limit = 0;  // an access that takes longer than its own hit by more than this is a miss
};

// The share of `bytes`, touched at a stride in laps, that is present afterwards. Checking evicts lines: so only few are
// checked at a time, and the laps are repeated.
double share_held(L2Talk& talk, const Filling& filling, std::uint64_t bytes, std::uint64_t stride,
                  std::size_t samples) {
  const std::uint64_t count = std::max<std::uint64_t>(bytes / stride, 1);
  const auto at_once = std::clamp<std::uint64_t>(count / 256, 32, 800);
  std::size_t held = 0, all = 0;
  talk.prepare();
  const std::uint64_t base = talk.random_base(bytes);
  for (int laps = 4; all < samples; laps = 2) {
    for (int lap = 0; lap < laps; ++lap)
      talk.touch({{base, static_cast<std::int64_t>(stride), count}}, filling.with, filling.sm);
    Lines lines;
    for (std::uint64_t i = 0; i < at_once; ++i) lines.push_back(base + talk.random()() % count * stride);
    for (const auto& timed : talk.first_and_hot(lines, filling.with, filling.sm)) held += timed.extra() < filling.limit;
    all += lines.size();
  }
  return static_cast<double>(held) / static_cast<double>(all);
}

struct Found {
  double bytes = 0, low = 0, high = 0;
  bool predicts = false;
  std::string how;
};

Found find_bytes(L2Talk& talk, const Filling& filling, std::uint64_t stride) {
  constexpr std::size_t few = 300, many = 1600;
  Found found;
  double about = 0;
  for (std::uint64_t bytes = std::uint64_t{1} << 17; bytes <= talk.info().bytes; bytes *= 2) {
    const double share = share_held(talk, filling, bytes, stride, few);
    found.how += fmt::format("{}{:.3g} MB: {:.2f}", found.how.empty() ? "share held of " : ", ",
                             static_cast<double>(bytes) * 1e-6, share);
    if (share > 0.65) continue;
    about = share * static_cast<double>(bytes);
    break;
  }
  if (about == 0) {
    found.how += "; the memory is too small to evict half of itself";
    return found;
  }
  std::vector<double> estimates;
  found.how += "; then";
  for (const double factor : {1.5, 2.0, 2.5, 3.0}) {
    const auto bytes = static_cast<std::uint64_t>(factor * about) / talk.spacing * talk.spacing;
    if (bytes > talk.info().bytes) break;
    const double share = share_held(talk, filling, bytes, stride, many);
    estimates.push_back(share * static_cast<double>(bytes));
    found.how += fmt::format(" {:.4g} of {:.4g} MB", estimates.back() * 1e-6, static_cast<double>(bytes) * 1e-6);
  }
  if (estimates.empty()) estimates.push_back(about);
  const double inside = share_held(talk, filling, static_cast<std::uint64_t>(0.5 * about), stride, 2 * few);
  found.how += fmt::format(" are held; of half as much {:.2f}", inside);
  const auto [low, high] = std::minmax_element(estimates.begin(), estimates.end());
  // Laps over the most bytes depend least on policies that protect old lines, but their sampling error is the largest:
  // so the median counts.
  found.bytes = median_of(estimates);
  found.low = std::min(*low, 0.96 * found.bytes);
  found.high = std::max(*high, 1.04 * found.bytes);
  found.predicts = estimates.size() >= 3 && *high - *low < 0.1 * found.bytes && inside > 0.95;
  return found;
}

results::Fact fact_of(const char* quantity, const Found& found, const std::string& how) {
  results::Fact fact = series::inferred(quantity, "", "bytes", "", how + found.how);
  if (found.bytes <= 0) return fact;
  fact.value = fmt::format("{:.0f}", found.bytes);
  fact.low = std::round(found.low);
  fact.high = std::round(found.high);
  fact.verdict = found.predicts ? results::FactVerdict::inferred : results::FactVerdict::measured;
  return fact;
}

// A line takes its place however little of it is touched: with a stride beyond the line size, fewer lines are touched
// and a larger share of them is held.
results::Fact line_fact(L2Talk& talk, const Filling& filling, double capacity, std::uint64_t sector,
                        std::uint64_t& line_bytes) {
  constexpr std::size_t samples = 700;
  results::Fact fact = series::inferred("l2.line_bytes", "", "bytes", "", "");
  const double span = std::min(3 * capacity, static_cast<double>(talk.info().bytes));
  if (span < 1.9 * capacity) {
    fact.how = "the memory is too small to be twice what the cache holds";
    return fact;
  }
  const auto share_at = [&](std::uint64_t stride) {
    const double share = share_held(talk, filling, static_cast<std::uint64_t>(span), stride, samples);
    fact.how += fmt::format("{}{}:{:.2f}", fact.how.empty() ? "" : " ", stride, share);
    return share;
  };
  const double least = capacity / span;
  const auto predicted = [&](std::uint64_t stride, std::uint64_t line) {
    return std::min(1.0, least * std::max(1.0, static_cast<double>(stride) / static_cast<double>(line)));
  };
  // Strides beyond the first at which the share has grown.
  std::vector<std::pair<std::uint64_t, double>> shares;
  for (std::uint64_t multiple = 1; multiple <= 64; multiple *= 2) {
    shares.emplace_back(multiple * sector, share_at(multiple * sector));
    if (shares.back().second > 1.7 * least) break;
  }
  double best = 1e9;
  for (std::uint64_t line = sector; line <= shares.back().first; line += sector) {
    double error = 0;
    for (const auto& [stride, share] : shares) error += std::pow(share - predicted(stride, line), 2);
    if (error >= best) continue;
    best = error;
    line_bytes = line;
  }
  // New strides on both sides of the line size, none of them a power of two times a sector.
  double worst = 0;
  fact.how += "; fresh strides";
  for (const double factor : {0.75, 1.25, 1.5, 1.75}) {
    const auto stride = static_cast<std::uint64_t>(factor * static_cast<double>(line_bytes)) / sector * sector;
    if (stride == 0) continue;
    worst = std::max(worst, std::abs(share_at(stride) - predicted(stride, line_bytes)));
  }
  fact.how = fmt::format("share held of {:.4g} MB by stride: {}; predicted to {:.3f}", span * 1e-6, fact.how, worst);
  if (worst > 0.09 || best > 0.02) {
    line_bytes = 0;
    return fact;
  }
  fact.value = fmt::format("{}", line_bytes);
  fact.low = fact.high = static_cast<double>(line_bytes);
  fact.verdict = results::FactVerdict::inferred;
  return fact;
}

}  // namespace

Capacity find_capacity(L2Talk& talk, const Homes& homes, const L2Costs& costs, std::uint64_t sector_bytes) {
  Capacity capacity;
  const std::uint64_t stride = sector_bytes != 0 ? sector_bytes : L2Talk::finest;
  const Filling near = {talk.info().usual_operator(), costs.sm, costs.least_step() / 2};
  const Found held = find_bytes(talk, near, stride);
  capacity.near_bytes = held.bytes;
  if (homes.are_two()) {
    capacity.facts.push_back(fact_of("l2.near_capacity", held, "laps of loads from one SM; near hits: "));
    // Atomics copy nothing: their lines are only at home.
    const Filling everywhere = {"atom", costs.sm, costs.miss_step() / 2};
    capacity.facts.push_back(
        fact_of("l2.total_capacity", find_bytes(talk, everywhere, stride), "laps of atomics, at home only; hits: "));
  } else {
    capacity.facts.push_back(series::inferred("l2.near_capacity", "", "bytes", "", homes.reason));
    capacity.facts.push_back(fact_of("l2.total_capacity", held, "laps of loads from one SM; hits: "));
    if (!homes.reason.empty()) capacity.facts.back().how += "; " + homes.reason;
  }
  if (held.bytes > 0)
    capacity.facts.push_back(line_fact(talk, near, held.bytes, stride, capacity.line_bytes));
  else
    capacity.facts.push_back(series::inferred("l2.line_bytes", "", "bytes", "", "the capacity is not known"));
  return capacity;
}

}  // namespace ptxlat::memory
