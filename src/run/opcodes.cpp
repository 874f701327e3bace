// SPDX-License-Identifier: Apache-2.0
#include "run/opcodes.h"

#include <fmt/format.h>

#include "run/counters.h"
#include "run/opcode_stages.h"

namespace ptxlat::run {

namespace {

constexpr std::size_t text_of_kernels = 5000;  // approximate, in bytes
// CUPTI runs a kernel several times: counting an opcode takes a fifth of a second, as long as assembling this many.
// With more opcodes in a chunk, chunks take turns on the GPU for minutes, and none is finished until all are.
constexpr std::size_t kernels_of_counting = 60;

// The library is only opened if something is missing. A failure to count has no further effect.
void count(const std::vector<machine::Opcode>& opcodes, const OpcodeJob& job, Stages& stages, MadeOpcodes& made) {
  const auto plan = machine::plan_counting(job.loaded, opcodes, job.level);
  try {
    counters::Offer offer;
    if (!stages.is_finished(plan)) {
      offer = open_counters(*job.counting);
      stages.runs().of(0).cupti = fmt::format("cupti-{}", offer.version);
    }
    made.completed = stages.make(
        "pipes by hardware counters", plan, machine::CountingMethod(job.loaded, plan, offer), {job.counting},
        [](const auto&) { return kernels_of_counting * text_of_kernels; }, made.counters);
  } catch (const counters::Unavailable& error) {
    made.not_counted = error;
    made.counters = stages.stored(plan);
    stages.runs().of(0).warnings.push_back(fmt::format("no pipes by hardware counters: {}", error.what()));
    if (stages.runs().of(0).id != 0) stages.runs().save();
  }
}

}  // namespace

MadeOpcodes make_opcodes(OpcodeJob& job, results::Store& store, const std::atomic<bool>* interrupted,
                         const OpcodeProgress& progress) {
  Stages stages(job, store, interrupted, progress);
  MadeOpcodes made;
  const auto plan = machine::plan_throughput(job.loaded, job.forms, job.level);
  made.completed = stages.make(
      "throughput", plan, machine::ThroughputMethod(job.loaded, plan), job.workers,
      [](const auto& cell) { return cell.ptx_bytes; }, made.throughput);
  if (made.completed) {
    const auto opcodes = machine::opcodes_measured(job.loaded, made.throughput);
    const auto pairs = machine::plan_pairs(job.loaded, opcodes, job.level);
    made.completed = stages.make(
        "pairs of opcodes", pairs, machine::ContentionMethod(job.loaded, pairs), job.workers,
        [](const auto&) { return text_of_kernels; }, made.contention);
    if (made.completed) {
      const auto operands = machine::plan_operands(job.loaded, opcodes, job.level);
      made.completed = stages.make(
          "costs of operands", operands, machine::OperandCostMethod(job.loaded, operands), job.workers,
          [](const auto&) { return text_of_kernels; }, made.operand_costs);
    }
    if (made.completed) {
      const auto in_flight = machine::plan_in_flight(job.loaded, opcodes, made.throughput, job.level);
      made.completed = stages.make(
          "instructions in flight", in_flight, machine::InFlightMethod(job.loaded, in_flight), job.workers,
          [](const auto&) { return 2 * std::size(machine::chains_to_try) * text_of_kernels; }, made.in_flight);
    }
    if (made.completed) count(opcodes, job, stages, made);
  }
  made.run = stages.runs().of(0);
  return made;
}

}  // namespace ptxlat::run
