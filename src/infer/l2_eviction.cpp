#include "infer/l2_eviction.h"

#include <algorithm>

namespace ptxlat::infer {

namespace {

constexpr std::size_t most_members = 64;

}  // namespace

Eviction::Eviction(L2Talk& talk, const L2Costs& costs, std::uint64_t target)
    : talk_(talk),
      costs_(costs),
      target_(target),
      hot_(talk.hot({target}, talk.info().usual_operator(), costs.sm, 9).front()) {}

bool Eviction::evicts_once(const Pool& pool, std::uint64_t prefix, const Lines& members) {
  constexpr std::uint64_t few = 96;  // lines that are cheaper accessed in one call than touched in several
  constexpr int laps = 6;
  const std::string with = talk_.info().usual_operator();
  // The target's first access makes sure that it is there, the second that it was hit.
  std::vector<Addresses> list = {{target_, 0, 2}};
  const auto add_lap = [&](std::vector<Addresses>& all, bool is_forward) {
    // In changing order: a policy that looks at a tree or at bits can keep the target through laps that are alike.
    Lines order = members;
    std::shuffle(order.begin(), order.end(), talk_.random());
    const auto others = in_progressions(order);
    all.insert(all.end(), others.begin(), others.end());
    const auto stride = static_cast<std::int64_t>(pool.line_bytes);
    if (prefix > 0)
      all.push_back(is_forward ? Addresses{pool.base, stride, prefix}
                               : Addresses{pool.at(prefix - 1), -stride, prefix});
  };
  const std::uint64_t lines = prefix + members.size();
  if (lines <= few) {
    // A random policy needs some misses until it hits upon the target; each lap has one at the least.
    const std::uint64_t small_laps = std::clamp<std::uint64_t>(800 / std::max<std::uint64_t>(lines, 1), 10, 60);
    for (std::uint64_t lap = 0; lap < small_laps; ++lap) add_lap(list, lap % 2 == 0);
  } else {
    talk_.access(list, with, costs_.sm);
    for (int lap = 0; lap < laps; ++lap) {
      list.clear();
      add_lap(list, lap % 2 == 0);
      talk_.touch(list, with, costs_.sm);
    }
    list.clear();
  }
  list.push_back({talk_.neighbour(target_), 0, 1});
  list.push_back({target_, 0, 1});
  return talk_.access(list, with, costs_.sm).back() - hot_ > costs_.least_step() / 2;
}

bool Eviction::evicts(const Pool& pool, std::uint64_t prefix, const Lines& members) {
  // An access that took long for another reason is seldom followed by a second one.
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
  while (members.empty() || !evicts(members)) {
    if (members.size() == most_members || failures == most_failures) return {};
    const auto last = last_needed(pool, most, members);
    if (last && std::find(members.begin(), members.end(), pool.at(*last)) == members.end()) {
      members.push_back(pool.at(*last));
      most = *last;
    } else {
      // An answer by chance has made the prefix too short: some way back.
      ++failures;
      most = std::min(pool.count, most + most / 4 + 64);
    }
  }
  // A wrong answer on the way has made a member of a line that is none.
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

}  // namespace ptxlat::infer
