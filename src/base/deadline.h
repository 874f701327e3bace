// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace ptxlat {

// How long to wait for a program, a driver or a kernel: `usual` times $PTXLAT_DEADLINE_FACTOR, which slow machines
// (emulators, sanitizers, a host full of jobs) set above 1. Anything but a number from 0.01 to 1,000 counts as 1.
std::chrono::milliseconds scaled_deadline(std::chrono::milliseconds usual);

}  // namespace ptxlat
