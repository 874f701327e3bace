#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// The stand-in's own reader of cubins and its own clock, on purpose not shared with src/sass: each is the other's
// check.
namespace standin {

struct Instruction {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

using Code = std::vector<Instruction>;

// The code of every kernel in a 64-bit ELF file of sm_70 or newer: the sections .text.KERNEL. Empty if it is no such
// file.
std::map<std::string, Code> read_cubin(const unsigned char* cubin);

// Cycles from the first clock read to the second, with the code taken as a straight line: no branch is followed. An
// instruction issues when the stall counts before it have passed and the scoreboards that it waits for are clear; one
// that sets a write scoreboard clears it a fixed time after its issue. Empty if there are not two clock reads.
std::optional<std::uint32_t> cycles_between_clocks(const Code& code);

}  // namespace standin
