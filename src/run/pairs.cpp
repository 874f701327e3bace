// SPDX-License-Identifier: Apache-2.0
#include "run/pairs.h"

#include "machine/hazards.h"
#include "machine/register_cases.h"
#include "run/opcode_stages.h"

namespace ptxlat::run {

namespace {
constexpr std::size_t text_of_kernel = 5000;  // approximate, in bytes
}

MadePairs make_pairs(OpcodeJob& job, results::Store& store, const std::atomic<bool>* interrupted,
                     const OpcodeProgress& progress) {
  Stages stages(job, store, interrupted, progress);
  MadePairs made;
  const std::vector registers{machine::plan_registers(job.loaded, job.level)};
  made.completed = stages.make(
      "register banks", registers, machine::RegisterMethod(job.loaded, registers.front()), job.workers,
      [](const auto&) { return text_of_kernel; }, made.registers);
  if (made.completed) {
    const auto hazards = machine::plan_hazards(job.loaded, job.forms, job.level);
    made.completed = stages.make(
        "hazards", hazards, machine::HazardMethod(job.loaded, hazards), job.workers,
        [](const auto& cell) { return cell.ptx_bytes; }, made.hazards);
  }
  made.run = stages.runs().of(0);
  return made;
}

}  // namespace ptxlat::run
