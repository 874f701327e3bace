#pragma once

#include <string>

#include "sass/window.h"

namespace ptxlat::sass {

// Cycles that a window takes and that no instruction in it asks for. They depend on the registers that ptxas happened
// to choose, so that a number made of such a window is not the instruction's alone (docs/method.md, section 6).

// The first instruction that reads its registers late, in words; empty if there is none. Registers of equal parity are
// in one bank. Of two in one bank, both results of fixed latency, where one is written 2 cycles after the other and
// read as soon as it can be, the reader gets one 2 cycles later than its schedule says (measured on an H200 with
// patched cubins).
std::string bank_conflict(const Window& window);

// What the second clock waits for that is not there to be measured, in words; empty if for nothing. ptxas may give the
// clock a register that an instruction of the window still reads or writes, and so the clock waits on its scoreboard.
// Where only instructions without registers (fences) hold that, the wait is for their effect. Unoptimised code waits
// everywhere.
std::string clock_waits(const Window& window);

// The same, but for waits that are over when the clock could issue, which cost nothing: before Hopper ptxas clears the
// scoreboard of a store behind the wait for a load that followed it. What was read before the load was is long read.
std::string clock_is_late(const Window& window);

}  // namespace ptxlat::sass
