// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "assemble/toolchain.h"
#include "ptx/skeleton.h"
#include "worker/worker.h"

namespace ptxlat::run {

// The clock of the SMs in MHz while one of them is busy: cycles counted by clock64 over two milliseconds of
// globaltimer, the median of several launches. Assembled by the driver (`driver`, `target`), whatever the table's own
// toolchain is. Empty if the kernel does not run or the timer does not advance.
std::optional<double> measure_sm_clock(worker::Worker& worker, const assemble::Toolchain& driver,
                                       const isa::Target& target, const ptx::Skeletons& skeletons);

}  // namespace ptxlat::run
