// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "isa/form.h"
#include "isa/mistakes.h"

namespace ptxlat::isa {

// The modifiers and types that a form can have, by axis ("type" → "u32", "s32"), and those one form has.
using Axes = std::map<std::string, std::vector<std::string>>;
using Choice = std::map<std::string, std::string>;

// "type=u32|s32" or "sat!=.sat".
struct Comparison {
  std::string axis;
  bool wants_equal = true;
  std::vector<std::string> values;
};

// Comparisons that must all hold; none always holds.
using Condition = std::vector<Comparison>;

// "condition -> condition"; without an arrow, `if_holds` is empty.
struct Rule {
  Condition if_holds;
  Condition then_holds;
};

// "condition -> ptx 7.8 sm_90"
struct ConditionalRequirement {
  Condition if_holds;
  Requirement requirement;
};

bool holds(const Condition& condition, const Choice& choice);
bool holds(const Rule& rule, const Choice& choice);

// These read what the catalogue's author wrote; mistakes in it are reported at `where`.
Condition read_condition(const std::string& text, const Axes& axes, const SourceLocation& where, Mistakes& mistakes);
Rule read_rule(const std::string& text, const Axes& axes, const SourceLocation& where, Mistakes& mistakes);
ConditionalRequirement read_need(const std::string& text, const Axes& axes, const SourceLocation& where,
                                 Mistakes& mistakes);

// "7.8" into ptx_major and ptx_minor, "sm_90" or "sm_90a|sm_100a" into a group of targets. False if the text is
// neither.
bool read_ptx_version(const std::string& text, Requirement& requirement);
bool read_targets(const std::string& text, Requirement& requirement);

}  // namespace ptxlat::isa
