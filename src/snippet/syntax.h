// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/form.h"
#include "snippet/text.h"

namespace ptxlat::snippet {

// An operand of a form and the token that the user wrote for it.
//   operand   of the form; null for what the catalogue does not have: the second predicate of setp, the register that a
//   part is
//             written into
//   type      of the register: the operand's, or an object's name
//   element   of a vector, from 0; -1: not a vector
//   token     among the statement's
//   is_sink   "_": nothing is written
struct Bound {
  const isa::Operand* operand = nullptr;
  std::string type;
  bool is_result = false;
  bool is_inout = false;
  bool is_literal = false;
  bool is_sink = false;
  int element = -1;
  std::size_t token = 0;
};

// A statement and the catalogue's form that it matches.
struct Instruction {
  const Statement* statement = nullptr;
  const isa::Form* form = nullptr;
  std::vector<Bound> operands;
  bool reads_carry = false;
  bool writes_carry = false;
};

// The catalogue's forms by their spelling, for reading snippets. The catalogue must outlive it.
class Syntaxes {
 public:
  explicit Syntaxes(const isa::Catalogue& catalogue);

  // Throws Error{usage} with the place for an instruction that the catalogue does not have, or that it has with
  // different operands.
  Instruction read(const Statement& statement, const std::string& name) const;

 private:
  // A piece of a form's operands: a hole, or a token that must be there.
  struct Piece {
    const isa::Operand* hole = nullptr;
    std::string token;
  };
  struct Syntax {
    const isa::Form* form = nullptr;
    std::vector<Piece> pieces;
  };
  struct Attempt;

  static std::vector<Piece> pieces_of(const isa::Form& form);
  std::vector<std::string> nearest_spellings(const std::string& opcode) const;

  std::map<std::string, std::vector<const isa::Form*>> by_spelling_;
  std::set<std::string> fixed_names_;  // special registers and symbols, which are not operands
};

}  // namespace ptxlat::snippet
