#pragma once

#include <map>
#include <string>
#include <vector>

#include "isa/form.h"
#include "isa/rule.h"

namespace ptxlat {

// Named tables from one axis' values to types: wide → {u16 → u32, ...}, used as "wide(type)".
using Maps = std::map<std::string, std::map<std::string, std::string>>;

// One piece of "add{sat}.{type} {d:type}, {a:type}": literal text, a value from an axis ({type}, {wide(type)}), or an
// operand ({d:type}, {d:wide(type)}, {c:u32}).
struct Piece {
  enum class Kind { text, value, operand };
  Kind kind = Kind::text;
  std::string text;  // the literal text, or the operand's name
  std::string map;   // "wide" in wide(type), else empty
  std::string axis;  // an axis, or a type written out
};

// Splits a syntax into pieces. A brace that does not enclose a name is PTX's own ("mov.b64 {{a:b32}, {b:b32}}, ...").
std::vector<Piece> read_syntax(const std::string& text, const Axes& axes, const Maps& maps, const SourceLocation& where,
                               Mistakes& mistakes);

// The value of "type" or "wide(type)" in one choice; a word that is no axis stands for itself.
std::string value_in(const Piece& piece, const Choice& choice, const Maps& maps);

// Operands named d, d0, d1 … are results.
bool is_result_name(const std::string& name);

}  // namespace ptxlat
