// SPDX-License-Identifier: Apache-2.0
#include "memory/l2_eviction.h"

#include <algorithm>

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

}  // namespace ptxlat::memory
