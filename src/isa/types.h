// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxlat::isa {

// How the bits of one element of a type are made from a number.
enum class Encoding {
  none,
  predicate,
  unsigned_integer,
  signed_integer,
  bits,
  half,
  bfloat,
  single_float,
  double_float
};

// The properties of an operand type. Packed types have two elements of `element_bits`; 8-bit types are kept in 16-bit
// registers (PTX ISA 5.2.2).
struct TypeInfo {
  std::string_view name;
  int register_bits;
  int element_bits;
  int elements;
  Encoding encoding;

  bool is_floating() const {
    return encoding == Encoding::half || encoding == Encoding::bfloat || encoding == Encoding::single_float ||
           encoding == Encoding::double_float;
  }
};

// nullptr if there is no such type.
const TypeInfo* find_type(std::string_view name);

// The name of this type in CUDA C, a vector of `count` elements if that is not 0: "unsigned int", "__half2", "float2",
// "bool". Empty if CUDA C functions have no such operand.
std::string cuda_type(std::string_view name, int count);

// Every type that a catalogue can name, without "carry", which has no spelling.
std::vector<std::string> type_names();

}  // namespace ptxlat::isa
