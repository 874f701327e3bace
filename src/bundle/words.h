// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <unordered_map>

#include "assemble/assembler.h"
#include "sass/disassembler.h"

namespace ptxlat::bundle {

struct WordOrder {
  bool operator()(const sass::InstructionWord& x, const sass::InstructionWord& y) const {
    return x.low != y.low ? x.low < y.low : x.high < y.high;
  }
};
// Disassembled words by disassembly_key, in an order that does not depend on the order of requests.
using Words = std::map<sass::InstructionWord, sass::WordText, WordOrder>;
using KnownWords = std::unordered_map<sass::InstructionWord, sass::WordText, sass::DisassemblyKeyHash>;

// As a section of a bundle.
Bytes encode_words(const Words& words);
// Error{storage} if encode_words did not make it.
void decode_words(const Bytes& section, KnownWords& words);

}  // namespace ptxlat::bundle
