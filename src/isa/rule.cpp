// SPDX-License-Identifier: Apache-2.0
#include "isa/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

#include "isa/trimmed.h"

namespace ptxlat::isa {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.push_back(trimmed(text.substr(begin, end == std::string::npos ? end : end - begin)));
  }
  return parts;
}

std::vector<std::string> names_of(const Axes& axes) {
  std::vector<std::string> names;
  for (const auto& [name, values] : axes) names.push_back(name);
  return names;
}

std::optional<Comparison> read_comparison(const std::string& text, const Axes& axes, const SourceLocation& where,
                                          Mistakes& mistakes) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    report(mistakes, where, fmt::format("\"{}\" is not a condition: write axis=value or axis!=value", text));
    return std::nullopt;
  }
  Comparison comparison;
  comparison.wants_equal = text[equals - 1] != '!';
  comparison.axis = trimmed(text.substr(0, comparison.wants_equal ? equals : equals - 1));
  comparison.values = split(text.substr(equals + 1), '|');

  const auto axis = axes.find(comparison.axis);
  if (axis == axes.end()) {
    report(mistakes, where,
           fmt::format("there is no axis \"{}\"{}", comparison.axis, did_you_mean(comparison.axis, names_of(axes))));
    return std::nullopt;
  }
  for (const std::string& value : comparison.values) {
    if (std::find(axis->second.begin(), axis->second.end(), value) != axis->second.end()) continue;
    report(mistakes, where,
           fmt::format("axis \"{}\" has no value \"{}\"{}", comparison.axis, value, did_you_mean(value, axis->second)));
  }
  return comparison;
}

struct Arrow {
  std::string left;
  std::string right;
  bool is_there = false;
};

Arrow split_at_arrow(const std::string& text) {
  const auto arrow = text.find("->");
  if (arrow == std::string::npos) return {"", text, false};
  return {trimmed(text.substr(0, arrow)), trimmed(text.substr(arrow + 2)), true};
}

}  // namespace

bool holds(const Condition& condition, const Choice& choice) {
  return std::all_of(condition.begin(), condition.end(), [&](const Comparison& comparison) {
    const std::string& value = choice.at(comparison.axis);
    const auto& values = comparison.values;
    return (std::find(values.begin(), values.end(), value) != values.end()) == comparison.wants_equal;
  });
}

bool holds(const Rule& rule, const Choice& choice) {
  return !holds(rule.if_holds, choice) || holds(rule.then_holds, choice);
}

Condition read_condition(const std::string& text, const Axes& axes, const SourceLocation& where, Mistakes& mistakes) {
  Condition condition;
  for (const std::string& part : split(text, '&')) {
    if (auto comparison = read_comparison(part, axes, where, mistakes)) condition.push_back(std::move(*comparison));
  }
  return condition;
}

Rule read_rule(const std::string& text, const Axes& axes, const SourceLocation& where, Mistakes& mistakes) {
  const Arrow arrow = split_at_arrow(text);
  Rule rule;
  if (arrow.is_there) rule.if_holds = read_condition(arrow.left, axes, where, mistakes);
  rule.then_holds = read_condition(arrow.right, axes, where, mistakes);
  return rule;
}

ConditionalRequirement read_need(const std::string& text, const Axes& axes, const SourceLocation& where,
                                 Mistakes& mistakes) {
  const Arrow arrow = split_at_arrow(text);
  ConditionalRequirement need;
  if (!arrow.is_there) {
    report(mistakes, where, fmt::format("\"{}\": write \"condition -> ptx 7.8 sm_90\"", text));
    return need;
  }
  need.if_holds = read_condition(arrow.left, axes, where, mistakes);
  std::istringstream words(arrow.right);
  for (std::string word; words >> word;) {
    if (word == "ptx" && words >> word && read_ptx_version(word, need.requirement)) continue;
    if (read_targets(word, need.requirement)) continue;
    report(mistakes, where, fmt::format("\"{}\" is not a requirement: write \"ptx 7.8\", \"sm_90\" or both", word));
  }
  return need;
}

bool read_ptx_version(const std::string& text, Requirement& requirement) {
  static const std::regex version("([0-9]{1,3})\\.([0-9]{1,3})");
  std::smatch match;
  if (!std::regex_match(text, match, version)) return false;
  requirement.ptx_major = std::stoi(match[1]);
  requirement.ptx_minor = std::stoi(match[2]);
  return true;
}

bool read_targets(const std::string& text, Requirement& requirement) {
  std::vector<Target> group;
  for (const std::string& name : split(text, '|')) {
    const auto target = target_from_name(name);
    if (!target) return false;
    group.push_back(*target);
  }
  requirement.targets.push_back(std::move(group));
  return true;
}

}  // namespace ptxlat::isa
