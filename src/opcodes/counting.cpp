// SPDX-License-Identifier: Apache-2.0
#include "opcodes/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "base/hash.h"
#include "line/window_record.h"
#include "loops/chain_loop.h"
#include "loops/loop.h"
#include "loops/saturated_kernel.h"
#include "opcodes/throughput.h"
#include "ptx/kernel_builder.h"
#include "results/curve.h"
#include "results/note.h"

namespace ptxlat::opcodes {

namespace {

// Counts are exact, but a kernel's own instructions may be issued more or less often: warps wait for each other.
constexpr double not_a_copy = 0.02;
// A kernel's own instructions are less than a tenth of the copies, unless it fills local memory. A wrong number of
// passes would show, or else, if there are more of them than this, make a pipe count more than one instruction for each
// copy.
constexpr double greatest_own_part = 0.4;

// The share on the pipe that counts most of both; 0 if none counts both.
double common_share(const results::Opcode& x, const results::Opcode& y) {
  double greatest = 0;
  for (const auto& mine : x.counters) {
    for (const auto& other : y.counters) {
      if (mine.pipe == other.pipe) greatest = std::max(greatest, std::min(mine.share, other.share));
    }
  }
  return greatest;
}

std::string first_and_more(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front() : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

}  // namespace

CountedCopy counted_copy(const counters::Counts& copies, const counters::Counts& nothing, double executed_copies,
                         const std::vector<std::string>& pipes) {
  CountedCopy wrong_number{
      {},
      fmt::format("{} instructions were executed, of which the copies should be {}", copies.executed, executed_copies)};
  if (copies.executed < executed_copies) return wrong_number;
  // Instructions that do nothing may or may not count as executed.
  const double more = (copies.executed - nothing.executed) / executed_copies;
  if (std::abs(more) > not_a_copy && std::abs(more - 1) > not_a_copy)
    return {{},
            fmt::format("{} instructions were executed with copies and {} with as many that do nothing",
                        copies.executed, nothing.executed)};
  CountedCopy counted;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    // If a pipe counts instructions that do nothing, that is most of its count: the kernel's own part is small.
    const double of_nothing = std::round(nothing.on_pipes.at(i) / executed_copies);
    const double of_copy = (copies.on_pipes.at(i) - nothing.on_pipes.at(i)) / executed_copies + of_nothing;
    if (of_copy < -not_a_copy) return {{}, fmt::format("{} counted more without copies", pipes[i])};
    counted.on_pipes.push_back(std::max(0.0, of_copy));
  }
  const bool is_much = copies.executed > (1 + greatest_own_part) * executed_copies;
  const bool is_once = std::any_of(counted.on_pipes.begin(), counted.on_pipes.end(),
                                   [](double share) { return std::abs(share - 1) <= not_a_copy; }) &&
                       *std::max_element(counted.on_pipes.begin(), counted.on_pipes.end()) <= 1 + not_a_copy;
  if (is_much && !is_once) return wrong_number;
  return counted;
}

CountedCopy counted_difference(const counters::Counts& longer, const counters::Counts& shorter, double more_copies) {
  const double executed = longer.executed - shorter.executed;
  if (std::abs(executed / more_copies - 1) > not_a_copy)
    return {{}, fmt::format("{} more instructions were executed, and {} more copies should be", executed, more_copies)};
  CountedCopy counted;
  for (std::size_t i = 0; i < longer.on_pipes.size(); ++i)
    counted.on_pipes.push_back(std::max(0.0, (longer.on_pipes[i] - shorter.on_pipes.at(i)) / more_copies));
  return counted;
}

std::vector<results::PipeShare> shares_of(const results::Record& record) {
  std::vector<results::PipeShare> shares;
  if (record.series.empty() || !results::is_named_curve(record.series.front())) return shares;
  const auto& series = record.series.front();
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double share = series.values[i].value_or(0);
    if (share > not_a_copy) shares.push_back({series.axes.front().names[i], share});
  }
  // Pipes that take turns differ by chance.
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& x, const auto& y) { return x.share > y.share + not_a_copy; });
  return shares;
}

void note_disagreements(std::vector<results::Opcode>& rows) {
  constexpr double in_full = 0.75;
  std::vector<std::string> notes(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> not_in_common, not_apart;
    for (const auto& other : rows) {
      const auto& row = rows[i];
      const bool are_known =
          !row.pipe.empty() && !other.pipe.empty() && !row.counters.empty() && !other.counters.empty();
      if (&other == &row || !are_known) continue;
      const double share = common_share(row, other);
      if (row.pipe == other.pipe && share == 0) not_in_common.push_back(other.name);
      if (row.pipe != other.pipe && share >= in_full) not_apart.push_back(other.name);
    }
    if (!not_in_common.empty())
      results::add_note(notes[i],
                        fmt::format("counters share no pipe with {}, contention does", first_and_more(not_in_common)));
    if (!not_apart.empty())
      results::add_note(notes[i],
                        fmt::format("counters share a pipe with {}, contention does not", first_and_more(not_apart)));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    results::add_note(rows[i].note, notes[i]);
  }
}

namespace {

constexpr int counted_warps = 16;
constexpr int times_in_loop = loops::default_rounds * ptx::passes_of_loop;
constexpr char series_name[] = "pipes";

// The trials of a cell in the bench's batch.
//   saturated  kernels to be filled with copies
//   loops      of what a warpgroup executes
struct CountingTrials {
  std::vector<std::size_t> saturated;
  std::optional<loops::ChainLoops> loops;
};

// The two kernels of an opcode: with copies, and what their counts are compared with.
struct Counted {
  results::Record* record = nullptr;
  std::vector<worker::LaunchBatch> kernels;  // none if the record says why
  double executed_copies = 0;
  bool is_for_warpgroups = false;
};

// A kernel that can be filled with copies of the opcode, and which of its codes that is.
struct FoundCopy {
  loops::Fillable fillable;
  std::size_t code = 0;
};

// If ptxas alternates between opcodes, only the second instruction of a kernel may be the requested one.
FoundCopy find(const line::Batch& batch, const std::vector<std::size_t>& trials, const std::string& opcode) {
  FoundCopy found;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::size_t instructions = 2 * i < trials.size() ? 1 : 2;
    const std::vector<std::vector<std::string>> wanted(instructions, {opcode});
    found = {loops::first_fillable(batch, {trials[i]}, wanted, loops::places_of_body), 0};
    auto& saturable = found.fillable.found;
    if (!saturable.problem.empty()) continue;
    for (; found.code < saturable.codes.size(); ++found.code) {
      if (loops::opcodes_of(saturable.codes[found.code]).front() == opcode) return found;
    }
    saturable.problem = "the instruction is another opcode beside a loop";
  }
  return found;
}

CountingTrials add_trials(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const CountingPlan& plan) {
  const auto& form = *plan.opcode.variant.form;
  CountingTrials trials;
  if (const auto accumulating = loops::accumulating_variant(loaded, form)) {
    trials.loops =
        loops::add_chain_loops(loaded, bench, *accumulating, 1, loops::threads_of_warpgroups(form), plan.opcode.name);
    return trials;
  }
  for (const std::size_t instructions : {1, 2}) {
    const std::vector variants(instructions, plan.opcode.variant);
    for (const auto sources : {loops::Sources::shared, loops::Sources::own})
      trials.saturated.push_back(
          bench.add(loops::saturated_trial(loaded, variants, loops::places_of_body, sources), plan.opcode.name));
  }
  return trials;
}

// With copies of the opcode, and with instructions that do nothing.
Counted with_and_without(const line::Batch& batch, const std::vector<std::size_t>& trials, results::Record& record) {
  Counted counted{&record, {}, double{counted_warps} * loops::places_of_body * times_in_loop, false};
  const auto [fillable, code] = find(batch, trials, record.sass.front());
  if (const auto& problem = fillable.found.problem; !problem.empty()) {
    results::give_up(record, fillable.is_assembled ? sass::Verdict::fused : sass::Verdict::rejected, problem);
    record.set_flag(results::flag::retry, fillable.assembler_failed);
    return counted;
  }
  const auto& assembled = batch.kernel_of(fillable.trial);
  const auto copy = fillable.found.codes[code];
  line::AssembledKernel shown;
  shown.window = loops::with_first_copy(*assembled.window, fillable.found, {copy});
  record.windows = {line::window_record(fmt::format("loop of {}", loops::places_of_body), shown, {})};

  const auto& cubin = batch.cubin_of(fillable.trial);
  const auto launch = loops::with_warps(batch.trial(fillable.trial).launch, counted_warps);
  for (const auto& word : {loops::copy_of(copy).front(), loops::nothing()}) {
    const std::vector words(static_cast<std::size_t>(loops::places_of_body), word);
    counted.kernels.push_back(
        {loops::fill_places(cubin, assembled.symbol, fillable.found, words), {{assembled.symbol, launch, 1}}});
  }
  return counted;
}

// With more and with fewer copies.
Counted longer_and_shorter(const line::Bench& bench, const loops::ChainLoops& loops, results::Record& record) {
  const auto& batch = bench.batch();
  const int warps_of_loop = batch.trial(loops.longer).launch.threads / loops::lanes_of_a_warp;
  const int more_copies = loops.copies_of_longer - loops.copies_of_shorter;
  Counted counted{&record, {}, 1.0 * warps_of_loop * more_copies * times_in_loop, true};
  const auto code = loops::code_of_loops(bench, loops);
  if (code.opcode != record.sass.front()) {
    results::give_up(record, sass::Verdict::fused,
                     code.problem.empty() ? "the instruction is another opcode in a loop" : code.problem);
    record.set_flag(results::flag::retry, code.assembler_failed);
    return counted;
  }
  record.windows = {loops::evidence_of(bench, loops, code.opcode)};
  for (const auto trial : {loops.longer, loops.shorter})
    counted.kernels.push_back({batch.cubin_of(trial), {{batch.kernel_of(trial).symbol, batch.trial(trial).launch, 1}}});
  return counted;
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
  for (const auto& opcode : examined(opcodes)) {
    const bool is_for_warpgroups = loops::accumulating_variant(loaded, *opcode.variant.form).has_value();
    if (!is_for_warpgroups && !loops::why_not_saturated(opcode.variant).empty()) continue;
    Hash hash;
    hash.add(std::string_view(opcodes_version));
    hash.add((is_for_warpgroups ? loaded.skeletons.chain_loop : loaded.skeletons.saturated).text);
    hash.add(loaded.skeletons.frame.text);
    hash.add(opcode.variant.form->ptx);
    plan.push_back({opcode, level, hash.text()});
  }
  return plan;
}

std::vector<results::Record> CountingMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  std::vector<results::Record> records;
  std::vector<CountingTrials> trials;
  for (const auto& cell : chunk) {
    records.push_back(begun_with(plan_[cell.number], {plan_[cell.number].opcode.name}));
    trials.push_back(add_trials(loaded_, bench, plan_[cell.number]));
  }
  bench.assemble(loops::kernels_per_module);
  std::vector<Counted> all;
  std::vector<worker::LaunchBatch> kernels;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    auto counted = trials[i].loops ? longer_and_shorter(bench, *trials[i].loops, records[i])
                                   : with_and_without(bench.batch(), trials[i].saturated, records[i]);
    if (counted.kernels.empty()) continue;
    std::move(counted.kernels.begin(), counted.kernels.end(), std::back_inserter(kernels));
    all.push_back(std::move(counted));
  }
  const auto outcomes = bench.count(kernels);
  for (std::size_t i = 0; i < all.size(); ++i)
    read(outcomes[2 * i], outcomes[2 * i + 1], all[i].executed_copies, all[i].is_for_warpgroups, *all[i].record);
  for (auto& record : records) record.gpu = bench.gpu();
  return records;
}

void CountingMethod::read(const worker::CountOutcome& copies, const worker::CountOutcome& base, double executed_copies,
                          bool is_for_warpgroups, results::Record& record) const {
  for (const auto* outcome : {&copies, &base})
    if (outcome->launch.status != ptx::LaunchStatus::ok) return note_failure(outcome->launch, record);
  failures_in_a_row_ = 0;
  const auto counted = is_for_warpgroups ? counted_difference(copies.counts, base.counts, executed_copies)
                                         : counted_copy(copies.counts, base.counts, executed_copies, offer_.pipes);
  if (!counted.problem.empty()) {
    results::give_up(record, sass::Verdict::unstable, counted.problem);
    return;
  }
  record.series.push_back(series_of(offer_.pipes, counted.on_pipes));
}

void CountingMethod::note_failure(const ptx::LaunchOutcome& outcome, results::Record& record) const {
  constexpr int too_many = 3;
  if (++failures_in_a_row_ >= too_many) throw counters::Unavailable(outcome.message, {});
  results::give_up(record, outcome.status == ptx::LaunchStatus::timeout ? sass::Verdict::timeout : sass::Verdict::fault,
                   outcome.message);
}

}  // namespace ptxlat::opcodes
