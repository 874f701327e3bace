// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ptxlat::snippet {

// Where something stands in the user's text, both from 1.
struct Place {
  int line = 1;
  int column = 1;
  bool operator==(const Place&) const = default;
};

// A piece of a statement behind its opcode.
//   name         a register, a special register ("%tid.x") or a symbol
//   number       a literal, with its sign
//   punctuation  one character
struct Token {
  enum class Kind { name, number, punctuation };
  Kind kind = Kind::punctuation;
  std::string text;
  Place place;
};

// "@!p" in front of an instruction.
struct Guard {
  Token name;
  bool is_negated = false;
};

// One instruction as written.
struct Statement {
  std::optional<Guard> guard;
  std::string opcode;  // "mad.lo.u32"
  Place place;         // of the opcode
  std::vector<Token> operands;
};

// A register that the text declares, or marks as a source or a result: its type without the dot, empty if none is
// given. A declared range (%r<4>) is one of each.
struct NamedRegister {
  std::string name;
  std::string type;
  Place place;
};

// A snippet as written, taken apart and not yet understood. Comments that begin with "sources:" or "results:" mark
// registers: "// sources: a .u32, b". Empty lists where there is no such comment.
struct Text {
  std::vector<Statement> statements;
  std::vector<NamedRegister> declared;
  std::vector<NamedRegister> sources, results;
};

// What is measured is a few instructions. Understanding them takes time by the square of their number.
inline constexpr std::size_t most_text_bytes = 32 << 10, most_instructions = 300, most_registers = 10'000;

// Throws Error{usage}, "NAME:LINE:COLUMN: …", for what is not a list of instructions: labels, directives other than
// .reg, a brace or a comment that is left open. The last semicolon may be missing.
//   name  of the text in messages: a file, or "snippet"
Text parse(const std::string& text, const std::string& name);

// What parse throws, for the rooms that find mistakes later.
[[noreturn]] void fail(const std::string& name, Place place, const std::string& message,
                       const std::string& advice = {});

}  // namespace ptxlat::snippet
