// SPDX-License-Identifier: Apache-2.0
#include "run/pairs.h"

#include "pairs/hazards.h"
#include "pairs/register_cases.h"
#include "run/opcode_stages.h"

namespace ptxlat::run {

namespace {

constexpr std::size_t text_of_registers = 5 * 5000;  // approximate, in bytes, of five kernels

}  // namespace

MadePairs make_pairs(OpcodeJob& job, results::Store& store, const std::atomic<bool>* interrupted,
                     const OpcodeProgress& progress) {
  Stages stages(job, store, interrupted, progress);
  MadePairs made;
  const std::vector registers{pairs::plan_registers(job.loaded, job.level)};
  const auto hazards = pairs::plan_hazards(job.loaded, job.forms, job.level);
  const pairs::RegisterMethod of_registers(job.loaded, registers.front());
  const pairs::HazardMethod of_hazards(job.loaded, hazards);
  made.completed = stages.make("register banks and hazards",
                               {stages.part_of(registers, of_registers, [](const auto&) { return text_of_registers; }),
                                stages.part_of(hazards, of_hazards, [](const auto& cell) { return cell.ptx_bytes; })},
                               job.workers);
  made.registers = stages.whole(registers, made.completed);
  if (made.completed) made.hazards = stages.stored(hazards);
  made.run = stages.runs().of(0);
  return made;
}

}  // namespace ptxlat::run
