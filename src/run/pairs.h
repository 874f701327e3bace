// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <vector>

#include "run/opcodes.h"

namespace ptxlat::run {

//   hazards    of this job's forms with their consumers
//   registers  the experiment with register numbers
//   completed  false if it was interrupted: then there are no hazards, and every finished record is in the store
struct MadePairs {
  results::Run run;
  std::vector<results::Record> hazards, registers;
  bool completed = false;
};

// Measures what the store does not have: the hazards of the job's forms, and the rule of the register banks. The job's
// workers run patched code; it counts nothing. Throws what run_line throws.
MadePairs make_pairs(OpcodeJob& job, results::Store& store, const std::atomic<bool>* interrupted,
                     const OpcodeProgress& progress);

}  // namespace ptxlat::run
