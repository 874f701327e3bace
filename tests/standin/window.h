// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The stand-in's own reader of cubins and its own clock, deliberately not shared with src/sass: each checks the other.
namespace standin {

struct Instruction {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

using Code = std::vector<Instruction>;

// The code of every kernel in a 64-bit ELF file of sm_70 or newer: the sections .text.KERNEL. Empty if it is not such a
// file.
std::map<std::string, Code> read_cubin(const unsigned char* cubin);

// The architecture that a cubin is for: 90. It must be an ELF file.
int sm_of(const unsigned char* cubin);

// The instructions between the first clock read and the second, from the first of them to after the last; of the whole
// kernel if there are not two clock reads.
std::pair<std::ptrdiff_t, std::ptrdiff_t> window_of(const Code& code);

// The body of the loop between the clocks: from where a branch goes back to, to after the branch.
std::optional<std::pair<std::ptrdiff_t, std::ptrdiff_t>> loop_of(const Code& code);

// Cycles from the first clock read to the second. The loop between them, if there is one, is executed so many times; no
// other branch is followed. An instruction issues when the stall counts before it have passed and the scoreboards that
// it waits for are clear; one that sets a write scoreboard clears it a fixed time after its issue. Empty if there are
// not two clock reads.
std::optional<std::uint64_t> cycles_between_clocks(const Code& code, std::uint64_t rounds);

// What the instructions between the clocks leave in the registers that are stored after them, in one word: an
// instruction that issues before its sources have been written reads what was there before. A result of fixed latency
// takes this GPU's own number of cycles, whatever the schedule says: 3 for FFMA, 6 for IMAD.WIDE, of which only the low
// half is kept, 4 for everything else. One under a scoreboard is there when the scoreboard is clear. Of several results
// in one register, the one that came last remains.
inline constexpr unsigned latency_of_ffma = 3, latency_of_wide = 6, latency_of_others = 4;
std::uint32_t value_of_window(const Code& code);

}  // namespace standin
