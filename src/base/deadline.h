// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace ptxlat {

// $PTXLAT_DEADLINE_FACTOR, which slow machines (emulators, sanitizers, a host full of jobs) set above 1; 1 if it is not
// set or empty. Error{usage} if it is not a number from 0.01 to 1000.
double deadline_factor();

// How long to wait for a program, a driver or a kernel: `usual` times the factor.
std::chrono::milliseconds scaled_deadline(std::chrono::milliseconds usual);

}  // namespace ptxlat
