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
  constexpr int laps = 4, small_laps = 10;
  const std::string with = talk_.info().usual_operator();
  // The target's first access makes sure that it is there, the second that it was hit.
  std::vector<Addresses> list = {{target_, 0, 2}};
  std::vector<Addresses> others = in_progressions(members);
  if (prefix > 0) others.push_back({pool.base, static_cast<std::int64_t>(pool.line_bytes), prefix});
  if (prefix + members.size() <= few) {
    for (int lap = 0; lap < small_laps; ++lap) list.insert(list.end(), others.begin(), others.end());
  } else {
    talk_.access(list, with, costs_.sm);
    list.clear();
    for (int lap = 0; lap < laps; ++lap) talk_.touch(others, with, costs_.sm);
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
  Lines members;
  std::uint64_t most = pool.count;
  while (members.empty() || !evicts(members)) {
    const auto last = last_needed(pool, most, members);
    if (!last || members.size() == most_members) return {};
    members.push_back(pool.at(*last));
    most = *last;
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
