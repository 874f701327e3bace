// SPDX-License-Identifier: Apache-2.0
#include "memory/branch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <random>
#include <string_view>

#include "base/error.h"
#include "base/quantile.h"
#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

constexpr int lanes_of_a_warp = 32;

bool has_lane(std::uint32_t mask, int lane) { return ((mask >> lane) & 1) != 0; }

// One mask's observations.
struct Branched {
  std::uint32_t mask = 0;
  double taken = 0, other = 0;  // cycles until each side has started
  bool takes_first() const { return taken < other; }
};

// Each number of lanes is equally likely, and each set of so many.
std::uint32_t draw(std::mt19937_64& random) {
  const auto count = 1 + random() % (lanes_of_a_warp - 1);
  std::uint32_t mask = 0;
  while (static_cast<std::uint64_t>(std::popcount(mask)) < count)
    mask |= std::uint32_t{1} << random() % lanes_of_a_warp;
  return mask;
}

std::vector<Branched> look(Machine& machine, const std::vector<std::uint32_t>& masks) {
  std::vector<Addresses> list;
  for (const auto mask : masks) list.push_back({mask, static_cast<std::int64_t>(other_side), 2});
  machine.prepare();
  const auto cycles = machine.access(list, machine.info().usual_operator(), 0);
  std::vector<Branched> seen;
  for (std::size_t i = 0; i < masks.size(); ++i) seen.push_back({masks[i], cycles[2 * i], cycles[2 * i + 1]});
  return seen;
}

std::size_t right(const BranchRule& rule, const std::vector<Branched>& seen) {
  return static_cast<std::size_t>(std::count_if(
      seen.begin(), seen.end(), [&](const Branched& one) { return rule.takes_first(one.mask) == one.takes_first(); }));
}

std::vector<BranchRule> make_rules() {
  std::vector<BranchRule> rules{{"taken_first", [](std::uint32_t) { return true; }},
                                {"fallthrough_first", [](std::uint32_t) { return false; }}};
  for (const int lane : {0, lanes_of_a_warp - 1}) {
    rules.push_back({fmt::format("lane_{}_first", lane), [=](std::uint32_t mask) { return has_lane(mask, lane); }});
    rules.push_back({fmt::format("lane_{}_last", lane), [=](std::uint32_t mask) { return !has_lane(mask, lane); }});
  }
  // With as many lanes on both sides, something else must decide.
  struct Tie {
    const char* name;
    bool (*takes_first)(std::uint32_t mask);
  };
  const Tie ties[] = {{"taken", [](std::uint32_t) { return true; }},
                      {"fallthrough", [](std::uint32_t) { return false; }},
                      {"lane_0", [](std::uint32_t mask) { return has_lane(mask, 0); }},
                      {"lane_31", [](std::uint32_t mask) { return has_lane(mask, lanes_of_a_warp - 1); }}};
  for (const bool more : {true, false}) {
    for (const auto& tie : ties) {
      rules.push_back(
          {fmt::format("{}_lanes_first_tie_{}", more ? "more" : "fewer", tie.name), [=](std::uint32_t mask) {
             const int count = std::popcount(mask);
             return 2 * count == lanes_of_a_warp ? tie.takes_first(mask) : (2 * count > lanes_of_a_warp) == more;
           }});
    }
  }
  // Any other number of lanes may be the one from which it changes.
  for (int least = 2; least < lanes_of_a_warp; ++least) {
    if (least == lanes_of_a_warp / 2 || least == lanes_of_a_warp / 2 + 1) continue;
    rules.push_back({fmt::format("taken_first_from_{}_lanes", least),
                     [=](std::uint32_t mask) { return std::popcount(mask) >= least; }});
    rules.push_back({fmt::format("fallthrough_first_from_{}_lanes", least),
                     [=](std::uint32_t mask) { return std::popcount(mask) < least; }});
  }
  return rules;
}

}  // namespace

const std::vector<BranchRule>& branch_rules() {
  static const auto rules = make_rules();
  return rules;
}

std::string predict_branch(const std::string& rule, const std::string& text) {
  const auto& rules = branch_rules();
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const BranchRule& r) { return r.name == rule; });
  if (found == rules.end()) throw Error(ExitCode::unknown_name, fmt::format("no such rule of a branch: {}", rule));
  std::string_view digits = text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::uint32_t mask = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), mask, 16);
  if (error != std::errc{} || end != digits.data() + digits.size() || mask == 0 || mask == 0xffffffff)
    throw Error(ExitCode::usage, fmt::format("\"{}\" is not a mask of some of 32 lanes", text),
                "Write one mask of the lanes that take the branch per line, in hexadecimal: 0000ffff.");
  return found->takes_first(mask) ? "taken" : "fallthrough";
}

std::vector<results::Fact> infer_branch(Machine& machine, std::uint64_t seed) {
  constexpr const char* quantity = "simt.two_way_rule";
  constexpr const char* gap = "simt.two_way_cycles";
  constexpr std::size_t drawn_before = 100, drawn_after = 200;
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> masks;
  for (int count = 1; count < lanes_of_a_warp; ++count) {
    masks.push_back(0xffffffff >> (lanes_of_a_warp - count));
    masks.push_back(0xffffffff << (lanes_of_a_warp - count));
  }
  for (std::size_t i = 0; i < drawn_before; ++i) masks.push_back(draw(random));
  const auto before = look(machine, masks);
  std::vector<const BranchRule*> left;
  const BranchRule* best = &branch_rules().front();
  for (const auto& rule : branch_rules()) {
    if (right(rule, before) == before.size()) left.push_back(&rule);
    if (right(rule, before) > right(*best, before)) best = &rule;
  }
  std::vector<double> gaps;
  for (const auto& one : before) gaps.push_back(std::abs(one.taken - one.other));
  const auto gap_fact = series::measured(
      gap, median_of(gaps), 2, "cycles",
      fmt::format("from the start of one side to that of the other, the median of {} masks", gaps.size()));
  const auto undetermined = [&](const std::string& why) {
    return std::vector{series::inferred(quantity, "", "text", "", why), gap_fact};
  };
  if (left.empty())
    return undetermined(fmt::format("no rule that is known here predicts all masks; {} predicts {} of {}", best->name,
                                    right(*best, before), before.size()));
  if (left.size() > 1) return undetermined(fmt::format("{} and {} predict the same", left[0]->name, left[1]->name));
  // Only now.
  masks.clear();
  for (std::size_t i = 0; i < drawn_after; ++i) masks.push_back(draw(random));
  const auto after = look(machine, masks);
  const auto score = right(*left.front(), after);
  const auto how = fmt::format("chosen by {} masks; then it predicted {} of {} that were drawn afterwards",
                               before.size(), score, after.size());
  constexpr double enough = 0.95;
  if (static_cast<double>(score) < enough * static_cast<double>(after.size()))
    return undetermined(fmt::format("{} was {}", left.front()->name, how));
  return {series::inferred(quantity, left.front()->name, "text", how, ""), gap_fact};
}

}  // namespace ptxlat::memory
