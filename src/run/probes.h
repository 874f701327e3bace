// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "line/line.h"
#include "probe/method.h"
#include "results/run.h"
#include "results/store.h"
#include "sass/disassembler.h"

namespace ptxlat::run {

// Probes to run with one toolchain.
struct ProbeJob {
  assemble::Toolchain toolchain;
  isa::Target target;
  results::Run run;  // as it begins
  std::vector<probe::ProbePlan> plan;
  std::unique_ptr<sass::Disassembler> disassembler;
  std::vector<std::unique_ptr<line::KernelAssembler>> assemblers;
};

//   wanted     the records of the plan
//   made       how many of these ran now
//   completed  false if it was interrupted; every finished probe is in the store
struct MadeProbes {
  results::Run run;
  std::vector<results::Record> wanted;
  std::size_t made = 0;
  bool completed = false;
};

// Runs the probes that the store does not have, one after another. `on_finished` is called with how many more of the
// plan are now in the store: once at the start, then after each; `on_log` as in ProbeMethod. Throws what run_line
// throws.
MadeProbes make_probes(ProbeJob& job, results::Store& store, worker::Worker& worker,
                       const std::atomic<bool>* interrupted, const std::function<void(std::size_t)>& on_finished,
                       const probe::OnLog& on_log = {});

}  // namespace ptxlat::run
