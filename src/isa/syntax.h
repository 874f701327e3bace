// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/form.h"
#include "isa/rule.h"

namespace ptxlat::isa {

// Named tables from one axis' values to types, counts or text: wide → {u16 → u32, ...}, used as "wide(type)".
using Maps = std::map<std::string, std::map<std::string, std::string>>;

// The content of a hole: a literal word ("u32", "4"), an axis ("type") or a table for an axis ("wide(type)").
struct Reference {
  std::string map;   // "wide" in wide(type), else empty
  std::string name;  // an axis or a word
};

// One piece of "ld.{type} {d:type[n(vec)]}, [{a:memory(space)}]": literal text, a value from an axis or a table, or an
// operand with its type and the count of a vector.
struct Piece {
  enum class Kind { text, value, operand };
  Kind kind = Kind::text;
  std::string text;  // the literal text, or the operand's name
  Reference value;   // of an operand, its type
  std::optional<Reference> count;
};

// The names that holes of a syntax can use.
struct Words {
  const Axes& axes;
  const Maps& maps;
  const std::set<std::string>& objects;  // operand types that are not registers
};

// Splits a syntax into pieces. A brace that does not enclose a name is PTX's own ("mov.b64 {{a:b32}, {b:b32}}, ..."),
// and so is {#}, which ptx/ fills.
std::vector<Piece> read_syntax(const std::string& text, const Words& words, const SourceLocation& where,
                               Mistakes& mistakes);

// The value of "type" or "wide(type)" in one choice; a word that is not an axis stands for itself.
std::string value_in(const Reference& reference, const Choice& choice, const Maps& maps);

// A text for the kernel with the holes that name axes and tables filled; all others are kept.
std::string fill_axes(const std::string& text, const Choice& choice, const Maps& maps);

// Operands named d, d0, d1 … are results.
bool is_result_name(const std::string& name);

}  // namespace ptxlat::isa
