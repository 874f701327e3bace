// SPDX-License-Identifier: Apache-2.0
#include "memory/l2_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/quantile.h"
#include "memory/l2_capacity.h"
#include "memory/policy.h"
#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

// Lines of one set, as a machine for find_policy: hits take 0 and misses about 1, whatever the distance to the slice. A
// request is repeated several times from cold, and its answer is the median.
class SetView : public Machine {
 public:
  SetView(L2Talk& talk, const L2Costs& costs, const Lines& lines) : talk_(talk), costs_(costs), info_(talk.info()) {
    info_.kind = "cache";
    info_.sms = 1;
    const auto cycles = talk.hot(lines, info_.usual_operator(), costs.sm, 9);
    for (std::size_t i = 0; i < lines.size(); ++i) hot_[lines[i]] = cycles[i];
  }
  const MachineInfo& info() const override { return info_; }
  void prepare() override {}  // each access is from cold
  std::vector<double> access(const std::vector<Addresses>& list, const std::string& with, int) override {
    constexpr int times = 7;
    std::vector<std::vector<double>> seen;
    for (int i = 0; i < times; ++i) {
      talk_.prepare();
      seen.push_back(talk_.access(list, with, costs_.sm));
    }
    std::vector<double> medians;
    for (const Addresses& run : list) {
      for (std::uint64_t i = 0; i < run.count; ++i) {
        std::vector<double> of_one;
        for (const auto& cycles : seen) of_one.push_back(cycles[medians.size()]);
        medians.push_back((median_of(of_one) - hot_.at(run.at(i))) / costs_.least_step());
      }
    }
    return medians;
  }

 private:
  L2Talk& talk_;
  const L2Costs& costs_;
  MachineInfo info_;
  std::map<std::uint64_t, double> hot_;
};

// The smallest pool that reliably evicts the target; each pool has twice as many lines as the previous one.
Pool pool_for(L2Talk& talk, Eviction& eviction, std::uint64_t line_bytes) {
  for (std::uint64_t count = 1 << 12; count * line_bytes <= talk.info().bytes; count *= 2) {
    // Without the target, which must not be among them.
    const std::uint64_t bytes = count * line_bytes, after = eviction.target() + L2Talk::spacing;
    Pool pool{0, line_bytes, count};
    if (bytes <= eviction.target())
      pool.base = talk.random()() % ((eviction.target() - bytes) / L2Talk::spacing + 1) * L2Talk::spacing;
    else if (after + bytes <= talk.info().bytes)
      pool.base =
          after + talk.random()() % ((talk.info().bytes - after - bytes) / L2Talk::spacing + 1) * L2Talk::spacing;
    else
      break;
    bool is_sure = true;
    for (int i = 0; i < 3 && is_sure; ++i) is_sure = eviction.evicts(pool, count, {});
    if (is_sure) return pool;
  }
  return {};
}

struct FoundSet {
  Lines members;  // the target is not one
  std::uint64_t target = 0;
  int stand_ins = 0, tried = 0;  // members that the target can replace in evicting
  Pool pool;
};

FoundSet find_set(L2Talk& talk, const Homes& homes, const L2Costs& costs, std::uint64_t line_bytes) {
  FoundSet found;
  const Lines targets = lines_at(talk, homes, costs.side, 1);
  if (targets.empty()) return found;
  found.target = targets.front();
  Eviction eviction(talk, costs, found.target);
  found.pool = pool_for(talk, eviction, line_bytes);
  if (found.pool.count == 0) return found;
  found.members = eviction.minimal_set(found.pool);
  for (std::size_t i = 0; i < std::min<std::size_t>(found.members.size(), 3); ++i) {
    Lines others = found.members;
    std::swap(others[i], others.back());
    Eviction stand_in(talk, costs, others.back());
    others.back() = found.target;
    ++found.tried;
    found.stand_ins += stand_in.usually_evicts(others);
  }
  return found;
}

// More lines of the target's set: each can replace a member.
Lines more_of_set(L2Talk& talk, const L2Costs& costs, const FoundSet& set, std::size_t wanted) {
  Eviction eviction(talk, costs, set.target);
  Lines fewer = set.members;
  fewer.pop_back();
  Lines more;
  std::uint64_t begin = 0;
  const auto is_used = [&](std::uint64_t line) {
    return line == set.target || std::find(set.members.begin(), set.members.end(), line) != set.members.end();
  };
  while (more.size() < wanted && begin < set.pool.count) {
    const Pool rest{set.pool.at(begin), set.pool.line_bytes, set.pool.count - begin};
    const auto last = eviction.last_needed(rest, rest.count, fewer);
    if (!last) break;
    Lines with_it = fewer;
    with_it.push_back(rest.at(*last));
    if (!is_used(rest.at(*last)) && eviction.usually_evicts(with_it)) more.push_back(rest.at(*last));
    begin += *last + 1;
  }
  return more;
}

// Bytes around the target that were accessed before the members' laps and are gone after them.
std::uint64_t extent_of(L2Talk& talk, const L2Costs& costs, const FoundSet& set, std::uint64_t sector,
                        std::string& how) {
  const auto reach = static_cast<std::int64_t>(32 * sector);
  const auto goes = [&](std::int64_t offset) {
    const std::uint64_t address = set.target + static_cast<std::uint64_t>(offset);
    if (address >= talk.info().bytes) return false;
    Eviction eviction(talk, costs, address);
    return eviction.usually_evicts(set.members);
  };
  std::int64_t begin = 0, end = static_cast<std::int64_t>(sector);
  while (begin > -reach && goes(begin - static_cast<std::int64_t>(sector))) begin -= static_cast<std::int64_t>(sector);
  while (end < reach && goes(end)) end += static_cast<std::int64_t>(sector);
  how = fmt::format("what is evicted together with a line: bytes {} to {} of it", begin, end);
  return static_cast<std::uint64_t>(end - begin);
}

// Whether this number of targets is enough. A set that also holds unrelated lines, code or the commands' buffer, has
// room for fewer lines: the largest size counts, as soon as two targets agree on it. But three that agree may all be
// such sets.
bool is_settled(const std::map<std::size_t, int>& votes, int targets) {
  constexpr int least = 3, usual = 5, most = 7;
  if (targets < least || targets >= most) return targets >= most;
  const bool largest_agrees = !votes.empty() && votes.rbegin()->second >= 2;
  return largest_agrees && (votes.size() > 1 || targets >= usual);
}

}  // namespace

L2Sets find_l2_sets(L2Talk& talk, const Homes& homes, const L2Costs& costs, std::uint64_t line_bytes,
                    std::uint64_t sector_bytes) {
  constexpr std::uint64_t enough_calls = L2Talk::most_calls / 4 * 3;  // the rest is for the policy
  constexpr std::size_t more_lines = 4;
  L2Sets sets;
  sets.facts = {series::inferred("l2.ways", "", "count", "", ""), series::inferred("l2.policy", "", "text", "", "")};
  auto& ways = sets.facts[0];
  auto& policy = sets.facts[1];
  std::vector<FoundSet> found;
  std::map<std::size_t, int> votes;
  std::string seen;
  try {
    for (int i = 0; !is_settled(votes, i); ++i) {
      if (found.size() >= 2 && talk.calls() > enough_calls) break;
      FoundSet set = find_set(talk, homes, costs, line_bytes);
      const bool is_good = !set.members.empty() && 2 * set.stand_ins > set.tried;
      seen += fmt::format("{}{} lines ({} of {} of them can stand for the target, pool of {})", i == 0 ? "" : ", ",
                          set.members.size(), set.stand_ins, set.tried, set.pool.count);
      if (!is_good) continue;
      ++votes[set.members.size()];
      found.push_back(std::move(set));
    }
  } catch (const TooManyAccesses& error) {
    seen += fmt::format("{}{}", seen.empty() ? "" : "; ", error.what());
  }
  auto most = votes.empty() ? votes.end() : std::prev(votes.end());
  for (auto one = votes.begin(); one != votes.end(); ++one) {
    if (one->second >= 2) most = one;
  }
  ways.how = "lines of which all are needed to evict a target, a pool being searched for one after the other: " + seen;
  if (most == votes.end() || (most->second < 2 && found.size() > 1)) {
    policy.how = "no two targets gave eviction sets of one size";
    return sets;
  }
  ways.value = fmt::format("{}", most->first);
  ways.how = fmt::format("{} of {} targets agree; {}", most->second, found.size(), ways.how);
  ways.low = static_cast<double>(votes.begin()->first);
  ways.high = static_cast<double>(votes.rbegin()->first);
  ways.verdict = most->second < 2 ? results::FactVerdict::measured : results::FactVerdict::inferred;
  const FoundSet& set =
      *std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.members.size() == most->first; });
  try {
    sets.line_bytes = extent_of(talk, costs, set, sector_bytes, sets.line_how);
    Lines lines = set.members;
    lines.insert(lines.begin(), set.target);
    const Lines more = more_of_set(talk, costs, set, more_lines);
    lines.insert(lines.end(), more.begin(), more.end());
    SetView view(talk, costs, lines);
    Prober prober(view, talk.random()());
    prober.set_level(0, 1);
    auto name = find_policy(prober, lines, most->first);
    // The remaining lines may belong to a set that is only nearly the same.
    if (name.name.empty() && !more.empty()) {
      lines.resize(set.members.size() + 1);
      name = find_policy(prober, lines, most->first);
    }
    policy = series::inferred(
        "l2.policy", name.name, "text",
        name.name == "random" ? "equal accesses from cold had different outcomes"
                              : fmt::format("predicted {} random strings of accesses", name.strings),
        fmt::format("no policy that is known here predicts the evictions among {} lines of a set", lines.size()));
    if (name.name == "random") policy.verdict = results::FactVerdict::measured;
  } catch (const TooManyAccesses& error) {
    policy.how = error.what();
  }
  return sets;
}

}  // namespace ptxlat::memory
