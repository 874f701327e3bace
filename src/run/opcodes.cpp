// SPDX-License-Identifier: Apache-2.0
#include "run/opcodes.h"

#include <fmt/format.h>

#include "base/parallel.h"
#include "pairs/hazards.h"
#include "pairs/register_cases.h"
#include "run/counters.h"
#include "run/opcode_stages.h"
#include "tables/opcode_numbers.h"

namespace ptxlat::run {

namespace {

constexpr std::size_t text_of_kernels = 5000;  // approximate, in bytes
// CUPTI runs a kernel several times: counting an opcode takes a fifth of a second, as long as assembling this many.
// With more opcodes in a chunk, chunks take turns on the GPU for minutes, and none is finished until all are.
constexpr std::size_t kernels_of_counting = 60;

// The experiments that do not need each other's results.
void measure_opcodes(const std::vector<opcodes::Opcode>& opcodes, const OpcodeJob& job, Stages& stages,
                     MadeOpcodes& made) {
  const auto pairs = opcodes::plan_contention(job.loaded, opcodes, job.level);
  const auto operands = opcodes::plan_operands(job.loaded, opcodes, job.level);
  const auto in_flight = opcodes::plan_in_flight(job.loaded, opcodes, made.throughput, job.level);
  const opcodes::ContentionMethod of_pairs(job.loaded, pairs);
  const opcodes::OperandCostMethod of_operands(job.loaded, operands);
  const opcodes::InFlightMethod of_in_flight(job.loaded, in_flight);
  const auto few = [](const auto&) { return text_of_kernels; };
  const auto many = [](const auto&) { return 2 * std::size(opcodes::chains_to_try) * text_of_kernels; };
  made.completed = stages.make("pairs of opcodes, costs of operands and instructions in flight",
                               {stages.part_of(pairs, of_pairs, few), stages.part_of(operands, of_operands, few),
                                stages.part_of(in_flight, of_in_flight, many)},
                               job.workers);
  made.contention = stages.whole(pairs, made.completed);
  made.operand_costs = stages.whole(operands, made.completed);
  made.in_flight = stages.whole(in_flight, made.completed);
}

// The library is only opened if something is missing. A failure to count has no further effect.
void count(const std::vector<opcodes::Opcode>& opcodes, const OpcodeJob& job, Stages& stages, MadeOpcodes& made) {
  const auto plan = opcodes::plan_counting(job.loaded, opcodes, job.level);
  try {
    std::vector<counters::Offer> offers(job.counting.size());
    if (!stages.is_finished(plan)) {
      in_parallel(offers.size(), [&](std::size_t gpu) {
        offers[gpu] = open_counters(*job.counting[gpu]);
        stages.runs().of(gpu).cupti = offers[gpu].name;
      });
    }
    const opcodes::CountingMethod method(job.loaded, plan, offers.front());
    const auto bytes = [](const auto&) { return kernels_of_counting * text_of_kernels; };
    made.completed = stages.make("pipes by hardware counters", {stages.part_of(plan, method, bytes)}, job.counting);
    made.counters = stages.whole(plan, made.completed);
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
  const auto plan = opcodes::plan_throughput(job.loaded, job.forms, job.level);
  const opcodes::ThroughputMethod of_throughput(job.loaded, plan, stages.stored(plan));
  made.completed =
      stages.make("throughput", {stages.part_of(plan, of_throughput, [](const auto& cell) { return cell.ptx_bytes; })},
                  job.workers);
  auto shared = tables::share_throughputs(stages.whole(plan, made.completed));
  made.throughput = std::move(shared.records);
  made.spellings = std::move(shared.spellings);
  if (made.completed) {
    const auto opcodes = opcodes::opcodes_measured(job.loaded, made.throughput);
    measure_opcodes(opcodes, job, stages, made);
    if (made.completed) count(opcodes, job, stages, made);
  }
  made.run = stages.runs().of(0);
  return made;
}

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
