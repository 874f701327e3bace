// SPDX-License-Identifier: Apache-2.0
#include "loops/chain_loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "latency/experiment.h"
#include "line/window_record.h"
#include "loops/loop.h"
#include "loops/patch.h"
#include "loops/saturated_kernel.h"
#include "results/metric.h"
#include "sass/audit.h"
#include "sass/opcodes.h"

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
  if (times.shorter.empty()) return results::give_up(record, times.verdict, times.message);
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
    results::give_up(record, sass::Verdict::fused, code.problem);
    record.set_flag(results::flag::retry, code.assembler_failed);
    return;
  }
  record.sass = {code.opcode};
  record.sass_count = 1;
  record.windows = {evidence_of(bench, loops, code.opcode)};
  record.code = code_of_trials(bench.batch(), {loops.shorter, loops.longer});
  if (bench.measures()) measured.put(record, [&] { measure(bench, form, loops, record); });
}

namespace {

// Steps of each chain: long ones fill the body of places_of_body instructions.
struct Steps {
  int shorter = 0, longer = 0;
};
Steps steps_of(int chains) {
  const int longer = places_of_body / chains;
  return {longer * 3 / 7, longer};
}

latency::ChainLoop loop_of(int chains, int steps) { return {chains, steps, default_rounds}; }

}  // namespace

std::vector<ptx::Trial> chain_loop_trials(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, int chains,
                                          int threads) {
  std::vector<ptx::Trial> trials;
  const auto steps = steps_of(chains);
  for (const int count : {steps.shorter, steps.longer})
    trials.push_back(latency::expand_chain_loop(loaded, variant, loop_of(chains, count), threads));
  return trials;
}

ChainLoops add_chain_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Variant& variant,
                           int chains, int threads, const std::string& label) {
  const auto steps = steps_of(chains);
  const auto trials = chain_loop_trials(loaded, variant, chains, threads);
  return {bench.add(trials.front(), label), bench.add(trials.back(), label), chains, chains * steps.shorter,
          chains * steps.longer};
}

ChainLoopCode code_of_loops(const sass::Window& shorter, const sass::Window& longer, int copies_of_shorter,
                            int copies_of_longer) {
  auto more = more_opcodes(longer, shorter);
  more.erase("NOP");
  if (more.empty()) return {{}, "ptxas left the copies out"};
  const auto& [opcode, count] = *more.begin();
  const int expected = copies_of_longer - copies_of_shorter;
  const auto all = sass::opcodes(shorter);
  const bool has_copies = std::count(all.begin(), all.end(), opcode) >= copies_of_shorter;
  if (more.size() == 1 && count == expected && has_copies) return {opcode, {}};
  std::string added;
  for (const auto& [name, difference] : more)
    added += fmt::format("{}{} {}", added.empty() ? "" : ", ", difference, name);
  return {{}, fmt::format("{} more copies became {}", expected, added)};
}

ChainLoopCode code_of_loops(const line::Bench& bench, const ChainLoops& loops) {
  const auto& shorter = bench.batch().kernel_of(loops.shorter);
  const auto& longer = bench.batch().kernel_of(loops.longer);
  for (const auto* kernel : {&shorter, &longer}) {
    if (!kernel->window) return {{}, kernel->log, kernel->assembler_failed};
  }
  return code_of_loops(*shorter.window, *longer.window, loops.copies_of_shorter, loops.copies_of_longer);
}

results::WindowRecord evidence_of(const line::Bench& bench, const ChainLoops& loops, const std::string& opcode) {
  line::AssembledKernel shown;
  shown.window = *bench.batch().kernel_of(loops.shorter).window;
  int copies = 0;
  std::erase_if(shown.window->instructions, [&](const sass::Instruction& instruction) {
    const auto name = sass::opcode_of(instruction.text);
    return name == "NOP" || (name == opcode && ++copies > loops.chains);
  });
  return line::window_record(fmt::format("loop of {} × {}", loops.chains, loops.copies_of_shorter / loops.chains),
                             shown, {});
}

LoopTimes time_chain_loops(line::Bench& bench, const ChainLoops& loops, const std::vector<int>& warps) {
  return time_both({timer_of(bench, loops.shorter), timer_of(bench, loops.longer)}, warps);
}

}  // namespace ptxlat::loops
