// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sass/window.h"

namespace ptxlat::sass {

// Cycles that a window takes although no instruction in it requires them. They depend on the registers that ptxas
// happened to choose, so a number from such a window is not the instruction's alone (docs/method.md, section 6).

// A description of the first instruction that reads its registers late; empty if there is none. Registers of equal
// parity are in one bank. If two registers of one bank, both results of fixed latency, are written 2 cycles apart and
// read as soon as possible, the reader gets one of them 2 cycles later than its schedule says (measured on an H200 with
// patched cubins).
std::string bank_conflict(const Window& window);

// A description of what the second clock waits for that should not be measured; empty if it waits for nothing else.
// ptxas may give the clock a register that an instruction of the window still reads or writes, so the clock waits on
// its scoreboard. If only instructions without registers (fences) hold it, the wait is for their effect. Unoptimised
// code waits everywhere.
std::string clock_waits(const Window& window);

// The same, without waits that are over when the clock could issue, which cost nothing: before Hopper, ptxas clears the
// scoreboard of a store after the wait for a load that followed it. By then the store has long read its registers.
std::string clock_is_late(const Window& window);

}  // namespace ptxlat::sass
