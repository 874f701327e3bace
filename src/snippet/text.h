// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptxlat::snippet {

// A position in the user's text; line and column count from 1.
struct Place {
  int line = 1;
  int column = 1;
  bool operator==(const Place&) const = default;
};

// A piece of a statement after its opcode.
//   name         a register, a special register ("%tid.x") or a symbol
//   number       a literal, with its sign
//   punctuation  one character
//   selector     the part of a register that a video instruction takes: ".b0", ".h1"
struct Token {
  enum class Kind { name, number, punctuation };
  Kind kind = Kind::punctuation;
  std::string text;
  Place place;
  std::string selector = {};
};

// "@!p" before an instruction.
struct Guard {
  Token name;
  bool is_negated = false;
};

// One instruction as written.
//   opcode       "mad.lo.u32"
//   place        of the opcode
//   source_line  of the CUDA C that it comes from, by the .loc before it; 0: unknown
struct Statement {
  std::optional<Guard> guard;
  std::string opcode;
  Place place;
  std::vector<Token> operands;
  int source_line = 0;
};

// "mad" of "mad.lo.u32".
inline std::string stem_of(const std::string& opcode) { return opcode.substr(0, opcode.find('.')); }
inline std::string stem_of(const Statement& statement) { return stem_of(statement.opcode); }

// A register that the text declares, or names as a source or a result: its type without the dot, empty if none is
// given. A declared range (%r<4>) gives one for each register.
struct NamedRegister {
  std::string name;
  std::string type;
  Place place;
};

// A snippet as written, split into tokens but not yet analysed. Comments that begin with "sources:" or "results:" name
// registers: "// sources: a .u32, b". The lists are empty without such comments.
//   read_elsewhere  registers that the rest of its kernel reads: what the snippet leaves in them is a result
//   not_results     registers that only an early exit of its kernel read
//   is_of_kernel    what nothing reads is not wanted, if something is stored or read elsewhere: the rest of a vector
struct Text {
  std::vector<Statement> statements;
  std::vector<NamedRegister> declared;
  std::vector<NamedRegister> sources, results;
  std::set<std::string> read_elsewhere, not_results;
  bool is_of_kernel = false;
  std::vector<std::string> remarks;
};

// A kernel or a function of a module.
//   end     of its body
//   labels  by name: the number of the statement after it
struct Function {
  std::string name;
  bool is_kernel = true;
  Place begin, end;
  std::vector<Statement> statements;
  std::vector<NamedRegister> declared;
  std::map<std::string, std::size_t> labels;
};

// A snippet is meant to be a few instructions: the time to analyse it grows with the square of their number. A module
// is only read.
inline constexpr std::size_t most_text_bytes = 32 << 10, most_instructions = 300, most_registers = 10'000;
inline constexpr std::size_t most_module_bytes = 16 << 20;

// Whether the text has a kernel or a function of its own, as compilers write them.
bool is_module(const std::string& text);

// Throws Error{usage}, "NAME:LINE:COLUMN: …", if the text is not a list of instructions: for labels, directives other
// than .reg, an open brace or comment. The last semicolon may be missing.
//   name  of the text in messages: a file, or "snippet"
Text parse(const std::string& text, const std::string& name);

// The kernels and functions of a module, with their branches. Throws Error{usage} likewise.
std::vector<Function> parse_module(const std::string& text, const std::string& name);

// What to do about code that branches.
inline constexpr char straight_line_advice[] =
    "give the straight line: what one pass of the loop, or one side of the branch, does";

// The error that parse throws, for later stages that find mistakes.
[[noreturn]] void fail(const std::string& name, Place place, const std::string& message,
                       const std::string& advice = {});

}  // namespace ptxlat::snippet
