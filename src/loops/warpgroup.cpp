// SPDX-License-Identifier: Apache-2.0
#include "loops/warpgroup.h"

#include <algorithm>

#include "latency/experiment.h"
#include "loops/curves.h"
#include "loops/saturated_kernel.h"
#include "results/work_unit.h"

namespace ptxlat::loops {

namespace {

constexpr int warps_of_a_warpgroup = 4;

// Puts the result into the record.
void measure(line::Bench& bench, const isa::Form& form, const ChainLoops& loops, results::Record& record) {
  bench.begin_cell();
  std::vector<int> warps;
  for (int count = warps_of_a_warpgroup; count <= threads_of_warpgroups(form) / lanes_of_a_warp;
       count += warps_of_a_warpgroup)
    warps.push_back(count);
  const auto times = time_chain_loops(bench, loops, warps);
  record.gpu = bench.gpu();
  if (times.shorter.empty()) {
    record.verdict = times.verdict;
    record.note = times.message;
    return;
  }
  put_rates(record, warps, times, [&](const Timing& timing) {
    return cycles_of_copy(timing, loops.copies_of_shorter, loops.copies_of_longer);
  });
}

}  // namespace

std::optional<isa::Variant> accumulating_variant(const ptx::LoadedCatalogue& loaded, const isa::Form& form) {
  if (results::work_unit_of(form.ptx).threads != warps_of_a_warpgroup * lanes_of_a_warp) return std::nullopt;
  return latency::chain_without_bridge(loaded, form);
}

int threads_of_warpgroups(const isa::Form& form) {
  constexpr int most_registers = 80;
  return threads_with_room(form, most_registers);
}

void measure_warpgroups(line::Bench& bench, const isa::Form& form, const ChainLoops& loops, MeasuredCodes& measured,
                        results::Record& record) {
  const auto code = code_of_loops(bench, loops);
  if (!code.problem.empty()) {
    record.verdict = sass::Verdict::fused;
    record.note = code.problem;
    record.set_flag(results::flag::retry, code.assembler_failed);
    return;
  }
  record.sass = {code.opcode};
  record.sass_count = 1;
  record.windows = {evidence_of(bench, loops, code.opcode)};
  record.code = code_of_trials(bench.batch(), {loops.shorter, loops.longer});
  if (bench.measures()) measured.put(record, [&] { measure(bench, form, loops, record); });
}

}  // namespace ptxlat::loops
