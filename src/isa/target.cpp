// SPDX-License-Identifier: Apache-2.0
#include "isa/target.h"

#include <algorithm>
#include <regex>
#include <tuple>

namespace ptxlat::isa {
namespace {

bool is_met(const Target& needed, const Target& by) {
  if (needed.suffix == "a") return by == needed;
  if (needed.suffix == "f") return by.sm / 10 == needed.sm / 10 && by.sm >= needed.sm && !by.suffix.empty();
  return by.sm >= needed.sm;
}

// "sm_80": a lower bound, of which only the highest matters.
bool is_lower_bound(const std::vector<Target>& group) { return group.size() == 1 && group.front().suffix.empty(); }

void add_group(std::vector<std::vector<Target>>& groups, const std::vector<Target>& group) {
  if (std::find(groups.begin(), groups.end(), group) != groups.end()) return;
  const auto bound = std::find_if(groups.begin(), groups.end(), is_lower_bound);
  if (!is_lower_bound(group) || bound == groups.end()) {
    groups.push_back(group);
  } else if (group.front().sm > bound->front().sm) {
    *bound = group;
  }
}

}  // namespace

std::optional<Target> target_from_name(const std::string& name) {
  static const std::regex pattern("sm_([0-9]{2,4})([af]?)");
  std::smatch match;
  if (!std::regex_match(name, match, pattern)) return std::nullopt;
  return Target{std::stoi(match[1]), match[2]};
}

bool has_target(const Requirement& requirement, const Target& target) {
  return std::all_of(requirement.targets.begin(), requirement.targets.end(), [&](const std::vector<Target>& group) {
    return std::any_of(group.begin(), group.end(), [&](const Target& needed) { return is_met(needed, target); });
  });
}

Requirement stricter(const Requirement& x, const Requirement& y) {
  Requirement both = x;
  if (std::tie(y.ptx_major, y.ptx_minor) > std::tie(x.ptx_major, x.ptx_minor)) {
    both.ptx_major = y.ptx_major;
    both.ptx_minor = y.ptx_minor;
  }
  for (const auto& group : y.targets) add_group(both.targets, group);
  return both;
}

std::string targets_text(const Requirement& requirement) {
  std::string text;
  for (const auto& group : requirement.targets) {
    if (!text.empty()) text += " and ";
    for (std::size_t i = 0; i < group.size(); ++i) text += (i == 0 ? "" : "|") + group[i].name();
  }
  return text;
}

}  // namespace ptxlat::isa
