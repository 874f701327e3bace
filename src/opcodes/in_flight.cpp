// SPDX-License-Identifier: Apache-2.0
#include "opcodes/in_flight.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/hash.h"
#include "latency/experiment.h"
#include "loops/chain_loop.h"
#include "loops/copy_loops.h"
#include "loops/saturated_kernel.h"
#include "opcodes/throughput.h"
#include "results/note.h"

namespace ptxlat::opcodes {

namespace {

constexpr int threads_of_cta = loops::most_warps * loops::lanes_of_a_warp;

void measure(line::Bench& bench, const std::vector<loops::ChainLoops>& all, results::Record& record) {
  const auto warps = loops::warps_of_curves();
  results::Series series{"chains", "results/clk/SM", {{"chains", "", {}}, {"warps", "warps", {}}}, {}};
  std::copy(warps.begin(), warps.end(), std::back_inserter(series.axes.back().values));
  for (const auto& loops : all) {
    const auto code = loops::code_of_loops(bench, loops);
    std::string problem = code.problem;
    if (problem.empty() && code.opcode != record.ptx)
      problem = fmt::format("the copies are {} and not {}", code.opcode, record.ptx);
    if (!problem.empty()) {
      results::add_note(record.note, fmt::format("{}: {}", loops.chains, problem));
      if (code.assembler_failed) record.add_flag(results::flag::retry);
      continue;
    }
    record.windows.push_back(loops::evidence_of(bench, loops, code.opcode));
    if (!bench.measures()) continue;
    const auto times = loops::time_chain_loops(bench, loops, warps);
    if (times.shorter.empty()) return results::give_up(record, times.verdict, times.message);
    series.axes.front().values.push_back(loops.chains);
    for (std::size_t i = 0; i < warps.size(); ++i) {
      const auto cycles =
          loops::cycles_of_copy(loops::timing_of(times, warps, i), loops.copies_of_shorter, loops.copies_of_longer);
      if (cycles <= 0) return results::give_up(record, sass::Verdict::unstable, "more copies did not take longer");
      series.values.emplace_back(loops::lanes_of_a_warp * warps[i] / cycles);
    }
  }
  if (record.windows.empty()) record.verdict = sass::Verdict::fused;
  if (!series.values.empty()) record.series.push_back(std::move(series));
}

}  // namespace

results::CellKey key_of(const InFlightPlan& plan) {
  return {results::RecordKind::in_flight, plan.opcode, plan.variant.form->ptx, {}, plan.level, plan.recipe};
}

std::vector<InFlightPlan> plan_in_flight(const ptx::LoadedCatalogue& loaded, const std::vector<Opcode>& opcodes,
                                         const std::vector<results::Record>& throughput, int level) {
  std::map<std::string, const isa::Form*> forms;
  for (const auto& form : loaded.catalogue.forms) forms.emplace(form.ptx, &form);
  std::map<std::string, isa::Variant> variants;
  for (const bool from_cuda : {false, true}) {  // PTX says best what the opcode is
    for (const auto& record : throughput) {
      const auto form = forms.find(record.ptx);
      if (record.sass.size() != 1 || !record.number(results::metric::interval) || form == forms.end()) continue;
      const auto& name = record.sass.front();
      if (form->second->cuda.has_value() != from_cuda || variants.contains(name)) continue;
      if (!loops::why_not_saturated(isa::variants_of(*form->second).front()).empty()) continue;
      if (auto variant = latency::chain_without_bridge(loaded, *form->second))
        variants.emplace(name, std::move(*variant));
    }
  }
  std::vector<InFlightPlan> plan;
  const auto representatives = representatives_of(opcodes);
  for (std::size_t i = 0; i < opcodes.size(); ++i) {
    const auto variant = variants.find(opcodes[i].name);
    if (representatives[i] != i || variant == variants.end()) continue;
    Hash hash;
    hash.add(std::string_view(opcodes_version));
    for (const int chains : chains_to_try) {
      for (const auto& trial : loops::chain_loop_trials(loaded, variant->second, chains, threads_of_cta))
        ptx::add(hash, trial);
    }
    plan.push_back({opcodes[i].name, variant->second, level, hash.text()});
  }
  return plan;
}

std::vector<results::Record> InFlightMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  const auto begin = [](const InFlightPlan& plan) { return begun_with(plan, {plan.opcode}); };
  const auto add = [&](const InFlightPlan& plan, const results::Record&) {
    std::vector<loops::ChainLoops> all;
    for (const int chains : chains_to_try)
      all.push_back(loops::add_chain_loops(loaded_, bench, plan.variant, chains, threads_of_cta, plan.opcode));
    return all;
  };
  return make_each(bench, chunk, begin, add,
                   [&](const auto&, const auto& all, results::Record& record) { measure(bench, all, record); });
}

std::optional<double> fewest_in_flight(const results::Record& record, double throughput) {
  constexpr double near_enough = 0.97;
  std::optional<double> fewest;
  for (const auto& series : record.series) {
    if (series.axes.size() != 2) continue;
    const auto lengths = results::lengths_of(series);
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      const auto place = results::places_of(i, lengths);
      const double count = series.axes[0].values[place[0]] * series.axes[1].values[place[1]];
      if (series.values[i].value_or(0) >= near_enough * throughput) fewest = std::min(fewest.value_or(count), count);
    }
  }
  return fewest;
}

}  // namespace ptxlat::opcodes
