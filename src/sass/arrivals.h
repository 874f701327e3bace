// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sass/window.h"

namespace ptxlat::sass {

// When the result of an opcode arrives on a measured card, where stall counts do not say it.
//   is_interlocked  false: it comes under a scoreboard. True: the assembler plans with fewer cycles, and the hardware
//                   holds the consumer back
//   cycles          from its issue until its consumer gets it
struct Arrival {
  bool is_interlocked = false;
  double cycles = 0;
};

// By opcode ("IMAD.WIDE.U32").
using Arrivals = std::map<std::string, Arrival, std::less<>>;

// That of the opcode, or of its longest beginning that is known: of IMAD.WIDE.U32 for IMAD.WIDE.U32.X. An access to
// memory may go elsewhere with a modifier more, and needs its own. Null if none is known.
const Arrival* arrival_of(std::string_view opcode, const Arrivals& arrivals);

// Whether the hardware is known to hold back what needs the opcode's result. Of matrix instructions, which share a
// pipe, all are if one is.
bool is_interlocked(std::string_view opcode, const Arrivals& arrivals);

// How long the window takes from clock to clock if results arrive as on that card. An instruction issues when the
// stall counts before it are over and the scoreboards that it waits for are free. One whose operand is held back waits
// for it, and those behind it make up for that with their stall counts as far as their own operands allow.
// Empty if it branches, waits for something else, or for a result whose arrival is not known.
std::optional<double> expected_cycles(const Window& window, const Arrivals& arrivals);

}  // namespace ptxlat::sass
