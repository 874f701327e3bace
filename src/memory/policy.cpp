// SPDX-License-Identifier: Apache-2.0
#include "memory/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace ptxlat::memory {

namespace {

// A list of the ways from the one to be kept longest to the one to be evicted. A new line is inserted below `protects`
// others: with none, this is LRU; with all but one, it is the next victim.
class StackPolicy : public ReplacementPolicy {
 public:
  // With `only_hit_lines`, a line only keeps its place once it has been hit.
  StackPolicy(std::size_t protects, bool only_hit_lines) : protects_(protects), only_hit_lines_(only_hit_lines) {}

  void hit(std::size_t way) override {
    remove(way);
    stack_.insert(stack_.begin(), {way, true});
  }
  void fill(std::size_t way) override {
    remove(way);
    std::size_t place = std::min(protects_, stack_.size());
    if (only_hit_lines_) {
      const auto end = stack_.begin() + static_cast<std::ptrdiff_t>(place);
      place = static_cast<std::size_t>(
          std::find_if(stack_.begin(), end, [](const Entry& entry) { return !entry.was_hit; }) - stack_.begin());
    }
    stack_.insert(stack_.begin() + static_cast<std::ptrdiff_t>(place), {way, false});
  }
  std::size_t victim() override { return stack_.back().way; }

 private:
  struct Entry {
    std::size_t way;
    bool was_hit;
  };
  void remove(std::size_t way) {
    std::erase_if(stack_, [&](const Entry& entry) { return entry.way == way; });
  }

  std::vector<Entry> stack_;
  std::size_t protects_;
  bool only_hit_lines_;
};

class FifoPolicy : public ReplacementPolicy {
 public:
  explicit FifoPolicy(std::size_t ways) : ways_(ways) {}
  void hit(std::size_t) override {}
  void fill(std::size_t way) override { next_ = (way + 1) % ways_; }
  std::size_t victim() override { return next_; }

 private:
  std::size_t ways_, next_ = 0;
};

// A binary tree whose bits point away from the last used way.
class TreePolicy : public ReplacementPolicy {
 public:
  explicit TreePolicy(std::size_t ways) : bits_(ways) {}
  void hit(std::size_t way) override {
    for (std::size_t node = bits_.size() + way; node > 1; node /= 2) bits_[node / 2] = node % 2 == 0;
  }
  void fill(std::size_t way) override { hit(way); }
  std::size_t victim() override {
    std::size_t node = 1;
    while (node < bits_.size()) node = 2 * node + bits_[node];
    return node - bits_.size();
  }

 private:
  std::vector<std::uint8_t> bits_;  // of inner nodes from 1; leaf `way` is node ways + way
};

// A counter per way that says how soon it may be evicted (re-reference prediction); NRU is the case of one bit.
//   most       the counter of the next victim
//   on_fill    the counter of a new line
//   resets     a hit sets the counter to 0; else it lowers it by one
//   at_once    a hit or fill that leaves no candidate makes all others candidates at once, and not the next eviction
//   rotates    candidates are searched from the last victim on, not from the first way
struct Prediction {
  int most = 1;
  int on_fill = 0;
  bool resets = true;
  bool at_once = false;
  bool rotates = false;
};

class PredictionPolicy : public ReplacementPolicy {
 public:
  PredictionPolicy(std::size_t ways, Prediction rule) : rule_(rule), counters_(ways, rule.most), start_(0) {}
  void hit(std::size_t way) override {
    counters_[way] = rule_.resets ? 0 : std::max(0, counters_[way] - 1);
    touched(way);
  }
  void fill(std::size_t way) override {
    counters_[way] = rule_.on_fill;
    touched(way);
  }
  std::size_t victim() override {
    for (;;) {
      for (std::size_t i = 0; i < counters_.size(); ++i) {
        const std::size_t way = (start_ + i) % counters_.size();
        if (counters_[way] != rule_.most) continue;
        if (rule_.rotates) start_ = (way + 1) % counters_.size();
        return way;
      }
      for (int& counter : counters_) ++counter;
    }
  }

 private:
  void touched(std::size_t way) {
    if (!rule_.at_once || std::find(counters_.begin(), counters_.end(), rule_.most) != counters_.end()) return;
    for (std::size_t i = 0; i < counters_.size(); ++i)
      if (i != way) counters_[i] = rule_.most;
  }

  Prediction rule_;
  std::vector<int> counters_;
  std::size_t start_;
};

constexpr Prediction nru_variants[] = {
    {.most = 1, .on_fill = 0, .at_once = true},
    {.most = 1, .on_fill = 0},
    {.most = 1, .on_fill = 0, .at_once = true, .rotates = true},
    {.most = 1, .on_fill = 0, .rotates = true},
};
constexpr Prediction srrip_variants[] = {
    {.most = 3, .on_fill = 2},
    {.most = 3, .on_fill = 2, .resets = false},
    {.most = 7, .on_fill = 6},
    {.most = 7, .on_fill = 6, .resets = false},
};
constexpr const char* insertion = "insert_below_";

}  // namespace

std::vector<PolicyKind> deterministic_policies(std::size_t ways) {
  std::vector<PolicyKind> kinds = {{"lru"}, {"fifo"}};
  if (std::has_single_bit(ways)) kinds.push_back({"plru"});
  for (int i = 0; i < static_cast<int>(std::size(nru_variants)); ++i) kinds.push_back({"nru", i});
  for (int i = 0; i < static_cast<int>(std::size(srrip_variants)); ++i) kinds.push_back({"srrip", i});
  for (std::size_t below = 1; below < ways; ++below)
    for (int variant : {0, 1}) kinds.push_back({insertion + std::to_string(below), variant});
  return kinds;
}

std::unique_ptr<ReplacementPolicy> make_policy(const PolicyKind& kind, std::size_t ways) {
  const auto variant = static_cast<std::size_t>(kind.variant);
  if (kind.name == "lru") return std::make_unique<StackPolicy>(0, false);
  if (kind.name == "fifo") return std::make_unique<FifoPolicy>(ways);
  if (kind.name == "plru" && std::has_single_bit(ways)) return std::make_unique<TreePolicy>(ways);
  if (kind.name == "nru") return std::make_unique<PredictionPolicy>(ways, nru_variants[variant]);
  if (kind.name == "srrip") return std::make_unique<PredictionPolicy>(ways, srrip_variants[variant]);
  if (kind.name.starts_with(insertion))
    return std::make_unique<StackPolicy>(std::stoul(kind.name.substr(std::string_view(insertion).size())),
                                         variant == 1);
  throw std::invalid_argument(fmt::format("no policy {} of {} ways", kind.name, ways));
}

CacheSet::CacheSet(std::size_t ways, std::unique_ptr<ReplacementPolicy> policy)
    : lines_(ways), policy_(std::move(policy)) {}

bool CacheSet::holds(std::uint64_t line) const { return std::find(lines_.begin(), lines_.end(), line) != lines_.end(); }

bool CacheSet::access(std::uint64_t line) {
  const auto found = std::find(lines_.begin(), lines_.end(), line);
  if (found != lines_.end()) {
    policy_->hit(static_cast<std::size_t>(found - lines_.begin()));
    return true;
  }
  const auto empty = std::find(lines_.begin(), lines_.end(), std::nullopt);
  const auto way = empty != lines_.end() ? static_cast<std::size_t>(empty - lines_.begin()) : policy_->victim();
  lines_[way] = line;
  policy_->fill(way);
  return false;
}

namespace {

using String = std::vector<std::size_t>;  // of indices into the lines

// More lines than ways, up to twice as many: some strings keep most of them out, others nearly none.
String random_string(Prober& prober, std::size_t lines, std::size_t ways) {
  const std::size_t most = std::min(lines, 2 * ways);
  const std::size_t used = ways + 1 + prober.random()() % (most - ways);
  String string(8 * ways + 16);
  for (auto& index : string) index = prober.random()() % used;
  return string;
}

std::vector<bool> seen(Prober& prober, const Lines& lines, const String& string) {
  Lines addresses;
  for (const auto index : string) addresses.push_back(lines[index]);
  return prober.misses_from_cold(addresses);
}

std::vector<bool> predicted(const PolicyKind& kind, std::size_t ways, const String& string) {
  CacheSet set(ways, make_policy(kind, ways));
  std::vector<bool> misses;
  for (const auto index : string) misses.push_back(!set.access(index));
  return misses;
}

// A string on which two policies differ; empty if none of many strings shows a difference.
String difference(Prober& prober, const PolicyKind& x, const PolicyKind& y, std::size_t lines, std::size_t ways) {
  for (int i = 0; i < 200; ++i) {
    String string = random_string(prober, lines, ways);
    if (predicted(x, ways, string) != predicted(y, ways, string)) return string;
  }
  return {};
}

bool repeats_itself(Prober& prober, const Lines& lines, std::size_t ways) {
  for (int i = 0; i < 4; ++i) {
    const String string = random_string(prober, lines.size(), ways);
    const auto first = seen(prober, lines, string);
    for (int repeat = 0; repeat < 3; ++repeat)
      if (seen(prober, lines, string) != first) return false;
  }
  return true;
}

// With one more line than ways, exactly one is not in the set: the next miss shows which, and so the victim of the
// previous miss. The line that missed has the victim's way.
std::vector<double> victims_of(Prober& prober, const Lines& lines, std::size_t ways) {
  const std::size_t laps = std::min<std::size_t>(400, prober.info().most_accesses / (ways + 1) - 1);
  String string(ways);
  std::iota(string.begin(), string.end(), 0);
  for (std::size_t i = 0; i < laps * (ways + 1); ++i) string.push_back((ways + i) % (ways + 1));
  const auto misses = seen(prober, lines, string);
  std::vector<std::size_t> way_of(ways + 1);
  std::iota(way_of.begin(), way_of.end(), 0);
  std::vector<double> count(ways);
  std::optional<std::size_t> came;  // the line of the previous miss
  for (std::size_t i = ways; i < string.size(); ++i) {
    if (!misses[i]) continue;
    if (came) {
      const std::size_t way = way_of[string[i]];
      ++count[way];
      way_of[*came] = way;
    }
    came = string[i];
  }
  const double total = std::accumulate(count.begin(), count.end(), 0.0);
  for (double& one : count) one = total > 0 ? one / total : 0;
  return count;
}

}  // namespace

FoundPolicy find_policy(Prober& prober, const Lines& lines, std::size_t ways) {
  if (lines.size() <= ways) return {};
  if (!repeats_itself(prober, lines, ways)) return {"random", 0, victims_of(prober, lines, ways)};
  auto left = deterministic_policies(ways);
  const auto keep = [&](const String& string) {
    const auto misses = seen(prober, lines, string);
    std::erase_if(left, [&](const PolicyKind& kind) { return predicted(kind, ways, string) != misses; });
  };
  for (int i = 0; i < 12 && !left.empty(); ++i) keep(random_string(prober, lines.size(), ways));
  // The remaining policies behave identically, or differ in cases that random strings seldom reach.
  for (std::size_t i = 1; i < left.size();) {
    const String string = difference(prober, left.front(), left[i], lines.size(), ways);
    if (string.empty()) {
      ++i;
    } else {
      keep(string);
      i = 1;
    }
  }
  if (left.empty()) return {};
  FoundPolicy found{left.front().name, 0, {}};
  for (; found.strings < 12; ++found.strings) {
    const String string = random_string(prober, lines.size(), ways);
    if (seen(prober, lines, string) != predicted(left.front(), ways, string)) return {};
  }
  return found;
}

}  // namespace ptxlat::memory
