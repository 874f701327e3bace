// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "isa/form.h"
#include "snippet/syntax.h"
#include "snippet/text.h"

namespace ptxlat::snippet {

// One value of a register, from the instruction that makes it to those that read it. The condition code counts as a
// register.
//   name        of the register, as the user spells it; carry_name for the condition code
//   type        PTX type; "carry"
//   definition  index of the instruction that makes it; empty: it exists before the snippet
struct Value {
  std::string name;
  std::string type;
  std::optional<std::size_t> definition;
  Place place;  // where it is first met
};
inline constexpr char carry_name[] = "CC.CF";

// What an instruction does to values, by their numbers.
//   of_token  the value that each register among the operands stands for
//   ties      new value, old value: a register that is written but keeps a part of its old value, because of a guard or
//             as an accumulator in place
//   stores    the instructions before it whose stores it may read
struct Flow {
  std::map<std::size_t, std::size_t> of_token;
  std::optional<std::size_t> guard;
  std::vector<std::size_t> reads, writes;
  std::vector<std::pair<std::size_t, std::size_t>> ties;
  std::vector<std::size_t> stores;
};

// A snippet after analysis: straight-line code whose registers all have a type.
//   sources, results  values by number, in the order of the text, or as the user named them
//   live              whether an instruction is needed for a result, or stores
//   remarks           what the user should know about the text: sources that nothing reads, dead code
struct Snippet {
  std::string name;  // of the text, in messages
  Text text;
  std::vector<Instruction> instructions;
  std::vector<Value> values;
  std::vector<Flow> flows;
  std::vector<std::size_t> sources, results;
  std::vector<bool> live;
  std::vector<std::string> remarks;
};

// Registers that the user names in options, with a type if one is given.
struct Marks {
  std::vector<NamedRegister> sources, results, types;
};

// Throws Error{usage} with the place of anything that cannot be measured: unknown instructions, registers used with two
// widths, instructions with effects other than on registers and memory.
Snippet understand(Text text, const std::string& name, const Syntaxes& syntaxes, const isa::Catalogue& catalogue,
                   const Marks& marks);

// The instructions by which `result` depends on `source`, in order; empty if it does not.
std::vector<std::size_t> path(const Snippet& snippet, std::size_t source, std::size_t result);

// Those that are needed for any of these values.
std::set<std::size_t> needed_for(const Snippet& snippet, const std::vector<std::size_t>& values);

// Whether the instruction only moves literals into registers: `mov.b32 m, 31`, and `mov.b64 w, {m, m}` after that.
bool makes_constant(const Snippet& snippet, std::size_t instruction);

// Whether it writes memory, reads it.
bool stores(const Instruction& instruction);
bool loads(const Instruction& instruction);

}  // namespace ptxlat::snippet
