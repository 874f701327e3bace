// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/form.h"
#include "isa/mistakes.h"
#include "isa/rule.h"
#include "isa/syntax.h"

namespace ptxlat::isa {

// The axis of compiler options that an entry of CUDA C has.
inline constexpr char options_axis[] = "options";

// The keys at the top of a catalogue file, which apply to its entries.
struct Chapter {
  std::string file;
  std::string name;
  std::string section;
  std::string header;  // of CUDA C functions
  std::optional<AuditRule> audit;
  int order = last;  // of the chapter: the plan makes smaller ones first

  static constexpr int last = 1'000'000;
};

// A piece of the author's text with its place.
struct Text {
  std::string text;
  SourceLocation where;
};

// A class of input values as written: operand → "8", "1 .. 2", "uniform 8", "= 8", "@object".
struct InputText {
  std::string name;
  std::map<std::string, Text> values;
  std::string around, prepare, before, completion;
  Completion completion_is = Completion::wait;
  Condition only_if;
  Requirement requirement;
  SourceLocation where;
};

// One [[op]] as written, checked as far as it can be without choosing from its axes.
struct Op {
  std::string name;
  std::string chapter;
  std::string section;
  std::vector<Piece> syntax;            // or the call, for CUDA C
  std::optional<std::string> header;    // for CUDA C; empty if the compiler knows the function
  std::set<std::string> operand_names;  // of all its forms
  Axes axes;
  Maps maps;
  std::set<std::string> modifiers;       // axes that do not make separate core forms
  std::set<std::string> core_modifiers;  // those of which a single one makes one, because the machine code is different
  bool has_core = true;
  Condition core_if;               // of its forms, only those for which this holds are core
  std::optional<AuditRule> audit;  // empty: derived from its operands
  int order = Chapter::last;
  std::vector<Rule> only;
  std::vector<Rule> except;
  Requirement requirement;
  std::vector<ConditionalRequirement> needs;
  std::vector<InputText> inputs;  // the default class first
  std::optional<std::vector<Text>> dependence;
  std::vector<Text> consumers;
  bool reads_carry = false;
  bool writes_carry = false;
  std::set<std::string> inout;
  int threads = 32;
  int cluster = 1;
  int consumed = -1;
  std::string cleanup, directives, not_streamable, depends_on_values;
  std::string not_measurable;
  SourceLocation where;
};

// The operand types that are not registers, and those of them that are addresses.
struct Objects {
  std::set<std::string> names;
  std::set<std::string> addresses;
};

// The cross product of the axes, minus what the rules exclude, in the order of the syntax.
std::vector<Form> expand(const Op& op, const Objects& objects, Mistakes& mistakes);

}  // namespace ptxlat::isa
