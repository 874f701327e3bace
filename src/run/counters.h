#pragma once

#include "counters/pipe_counters.h"
#include "worker/worker.h"

namespace ptxlat::run {

// Opens the hardware counters of the worker's device with the first libcupti found here (counters/find.h) that counts
// the instructions of an empty kernel; a library of an older CUDA than the driver's may open and count nothing. Throws
// counters::Unavailable with what is wrong with each of them, or with the device.
counters::Offer open_counters(worker::Worker& worker);

}  // namespace ptxlat::run
