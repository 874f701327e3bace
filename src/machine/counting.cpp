// SPDX-License-Identifier: Apache-2.0
#include "machine/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/hash.h"
#include "line/window_record.h"
#include "machine/counted.h"
#include "machine/loop.h"
#include "machine/saturated_kernel.h"
#include "machine/throughput.h"
#include "ptx/kernel_builder.h"

namespace ptxlat::machine {

namespace {

constexpr int warps = 16;
constexpr double executed_copies = double{warps} * places_of_body * default_rounds * ptx::passes_of_loop;
constexpr char series_name[] = "pipes";

results::Record begun(const CountingPlan& plan) {
  results::Record record;
  record.kind = results::RecordKind::counters;
  record.ptx = plan.opcode.name;
  record.level = plan.level;
  record.recipe = plan.recipe;
  record.sass = {plan.opcode.name};
  record.sass_count = 1;
  return record;
}

// A kernel that can be filled with copies of the opcode, and which of its codes that is.
struct Found {
  Fillable fillable;
  std::size_t code = 0;
};

// If ptxas alternates between opcodes, only the second instruction of a kernel may be the requested one.
Found find(const line::Batch& batch, const std::vector<std::size_t>& trials, const std::string& opcode) {
  Found found;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::size_t instructions = 2 * i < trials.size() ? 1 : 2;
    const std::vector<std::vector<std::string>> wanted(instructions, {opcode});
    found = {first_fillable(batch, {trials[i]}, wanted, places_of_body), 0};
    auto& saturable = found.fillable.found;
    if (!saturable.problem.empty()) continue;
    for (; found.code < saturable.codes.size(); ++found.code) {
      if (opcodes_of(saturable.codes[found.code]).front() == opcode) return found;
    }
    saturable.problem = "the instruction is another opcode beside a loop";
  }
  return found;
}

results::Series series_of(const std::vector<std::string>& pipes, const std::vector<double>& on_pipes) {
  results::Series series{series_name, "instructions", {{"pipe", "pipe", {}, pipes}}, {}};
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    series.axes.front().values.push_back(static_cast<double>(i));
    series.values.emplace_back(on_pipes[i]);
  }
  return series;
}

}  // namespace

results::CellKey key_of(const CountingPlan& plan) {
  return {results::RecordKind::counters, plan.opcode.name, {}, {}, plan.level, plan.recipe};
}

std::vector<CountingPlan> plan_counting(const ptx::LoadedCatalogue& loaded, const std::vector<Opcode>& opcodes,
                                        int level) {
  std::vector<CountingPlan> plan;
  for (const auto& opcode : opcodes) {
    if (!why_not_saturated(opcode.variant).empty()) continue;
    Hash hash;
    hash.add(std::string_view(opcodes_version));
    hash.add(loaded.skeletons.saturated.text);
    hash.add(loaded.skeletons.frame.text);
    hash.add(opcode.variant.form->ptx);
    plan.push_back({opcode, level, fmt::format("{:016x}", hash.value())});
  }
  return plan;
}

std::vector<results::Record> CountingMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  std::vector<results::Record> records;
  std::vector<std::vector<std::size_t>> trials(chunk.size());
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    const auto& plan = plan_[chunk[i].number];
    records.push_back(begun(plan));
    for (const std::size_t instructions : {1, 2}) {
      const std::vector variants(instructions, plan.opcode.variant);
      for (const auto sources : {Sources::shared, Sources::own})
        trials[i].push_back(bench.add(saturated_trial(loaded_, variants, places_of_body, sources), plan.opcode.name));
    }
  }
  bench.assemble();
  std::vector<results::Record*> counted;  // each by two kernels
  std::vector<worker::LaunchBatch> kernels;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    const auto pair = kernels_of(bench.batch(), plan_[chunk[i].number], trials[i], records[i]);
    if (!pair.empty()) counted.push_back(&records[i]);
    kernels.insert(kernels.end(), pair.begin(), pair.end());
  }
  const auto outcomes = bench.count(kernels);
  for (std::size_t i = 0; i < counted.size(); ++i) read(outcomes[2 * i], outcomes[2 * i + 1], *counted[i]);
  for (auto& record : records) record.gpu = bench.gpu();
  return records;
}

// With copies of the opcode, and with instructions that do nothing. None if the record says why.
std::vector<worker::LaunchBatch> CountingMethod::kernels_of(const line::Batch& batch, const CountingPlan& plan,
                                                            const std::vector<std::size_t>& trials,
                                                            results::Record& record) {
  const auto [fillable, code] = find(batch, trials, plan.opcode.name);
  if (const auto& problem = fillable.found.problem; !problem.empty()) {
    record.verdict = fillable.is_assembled ? sass::Verdict::fused : sass::Verdict::rejected;
    record.note = problem;
    return {};
  }
  const auto& assembled = batch.kernel_of(fillable.trial);
  const auto copy = fillable.found.codes[code];
  line::AssembledKernel shown;
  shown.window = with_first_copy(*assembled.window, fillable.found, {copy});
  record.windows = {line::window_record(fmt::format("loop of {}", places_of_body), shown, {})};

  const auto& cubin = batch.cubin_of(fillable.trial);
  const auto launch = with_warps(batch.trial(fillable.trial).launch, warps);
  std::vector<worker::LaunchBatch> kernels;
  for (const auto& word : {copy_of(copy).front(), nothing()}) {
    const std::vector words(static_cast<std::size_t>(places_of_body), word);
    kernels.push_back({fill_places(cubin, assembled.symbol, fillable.found, words), {{assembled.symbol, launch, 1}}});
  }
  return kernels;
}

void CountingMethod::read(const worker::CountOutcome& copies, const worker::CountOutcome& nothing,
                          results::Record& record) const {
  for (const auto* outcome : {&copies, &nothing})
    if (outcome->launch.status != kernel::LaunchStatus::ok) return note_failure(outcome->launch, record);
  failures_in_a_row_ = 0;
  const auto counted = counted_copy(copies.counts, nothing.counts, executed_copies, offer_.pipes);
  if (!counted.problem.empty()) {
    record.verdict = sass::Verdict::unstable;
    record.note = counted.problem;
    return;
  }
  record.series.push_back(series_of(offer_.pipes, counted.on_pipes));
}

void CountingMethod::note_failure(const kernel::LaunchOutcome& outcome, results::Record& record) const {
  constexpr int too_many = 3;
  if (++failures_in_a_row_ >= too_many) throw counters::Unavailable(outcome.message, {});
  record.verdict = outcome.status == kernel::LaunchStatus::timeout ? sass::Verdict::timeout : sass::Verdict::fault;
  record.note = outcome.message;
}

}  // namespace ptxlat::machine
