// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "counters/pipe_counters.h"
#include "worker/worker.h"

namespace ptxlat::run {

// Opens the hardware counters of the worker's device with the first libcupti found here (counters/find.h) that counts
// the instructions of an empty kernel; a library from an older CUDA version than the driver's may open but count
// nothing. Throws counters::Unavailable with the problem of each of them, or of the device.
counters::Offer open_counters(worker::Worker& worker);

}  // namespace ptxlat::run
