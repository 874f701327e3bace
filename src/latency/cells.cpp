// SPDX-License-Identifier: Apache-2.0
#include "latency/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "latency/estimate.h"
#include "latency/samples.h"
#include "sass/hidden_waits.h"

namespace ptxlat::latency {

namespace {

// The schedule's length for a differential of fixed latency; empty if the schedule does not determine it.
std::optional<int> scheduled_differential(const line::Batch& batch, const TrialNumbers& trials) {
  const auto& with = batch.kernel_of(*trials[Role::differential]).schedule;
  const auto& without = batch.kernel_of(*trials[Role::differential_base]).schedule;
  if (with.is_lower_bound || with.branches) return std::nullopt;
  return (with.cycles - with.edge_cycles) - (without.cycles - without.edge_cycles);
}

// The audit that decides whether the windows give a number: that of the streams if nothing can wait for the
// instruction.
const sass::Audit& decisive_audit(const TrialNumbers& trials, const Audits& audits) {
  return audits[trials[Role::differential] ? Role::differential : Role::stream];
}

// Whether there is no latency because the differential reads registers of one bank, which different registers may cure.
bool is_lost_to_a_bank_conflict(const line::Batch& batch, const TrialNumbers& trials, const Audits& audits) {
  return audits[Role::differential].verdict == sass::Verdict::contaminated && !audits[Role::chain].is_proven() &&
         !sass::bank_conflict(*batch.kernel_of(*trials[Role::differential]).window).empty();
}

void note_conflicting(CellWork& cell, const Experiment& experiment, const line::Batch& batch,
                      const TrialNumbers& trials) {
  const auto cycles = scheduled_differential(batch, trials);
  if (!cycles || (cell.conflicting_cycles && *cell.conflicting_cycles <= *cycles)) return;
  cell.conflicting = experiment.consumer;
  cell.conflicting_cycles = cycles;
}

// Keeps this attempt if it is the first, the first that is proven, or one with a nearer consumer; before any is proven,
// also the first that only lacks different registers. If a chain is proven, or the latency is not fixed, the first
// proven differential is enough; else all consumers are tried to find one on the same pipe, which the schedule's cycles
// show (crossing pipes costs more: method.md, trap 8).
void keep_the_better(const isa::Catalogue& catalogue, CellWork& cell, const line::Batch& batch, Experiment experiment,
                     const TrialNumbers& trials) {
  auto audits = audit(catalogue, batch, trials, cell.plan->variant, cell.plan->level, experiment);
  const bool is_proven = decisive_audit(trials, audits).is_proven();
  if (is_lost_to_a_bank_conflict(batch, trials, audits)) note_conflicting(cell, experiment, batch, trials);
  const auto cycles = is_proven && trials[Role::differential] ? scheduled_differential(batch, trials) : std::nullopt;
  cell.is_settled = is_proven && (audits[Role::chain].is_proven() || !cycles);
  const auto is_better = [&] {
    if (decisive_audit(cell.trials, cell.audits).is_proven())
      return cycles && cell.scheduled_cycles && *cycles < *cell.scheduled_cycles;
    if (is_proven) return true;
    return is_lost_to_a_bank_conflict(batch, trials, audits) && !cell.audits[Role::chain].is_proven() &&
           !is_lost_to_a_bank_conflict(batch, cell.trials, cell.audits);
  };
  if (cell.experiment && !is_better()) return;
  cell.experiment = std::move(experiment);
  cell.trials = trials;
  cell.audits = std::move(audits);
  cell.scheduled_cycles = cycles;
}

// A cell's experiment with one of its consumers. What was made with the first is kept, unless the assembler rejected
// that consumer, which may be newer than the instruction.
Experiment experiment_with(const ptx::LoadedCatalogue& loaded, const CellWork& cell, const isa::Consumer* consumer) {
  const auto& variant = cell.plan->variant;
  if (!cell.experiment || cell.audits[Role::overhead].verdict == sass::Verdict::rejected)
    return expand(loaded, variant, consumer);
  Experiment experiment = *cell.experiment;
  change_consumer(loaded, variant, consumer, experiment);
  return experiment;
}

// A cell with a candidate experiment, and the trials of that.
struct Attempt {
  CellWork* cell;
  Experiment experiment;
  TrialNumbers trials;
};

void assemble_and_audit(const isa::Catalogue& catalogue, line::Bench& bench, std::vector<Attempt>& attempts) {
  bench.assemble();
  const auto watch = bench.time("audit");
  for (auto& [cell, experiment, trials] : attempts) {
    if (!cell->is_settled) keep_the_better(catalogue, *cell, bench.batch(), std::move(experiment), trials);
  }
}

// Expands the cells that are not settled with the consumers from `first` up to `last`, assembles and audits them.
void try_consumers(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const std::vector<CellWork*>& cells,
                   std::size_t first, std::size_t last) {
  std::vector<Attempt> attempts;
  {
    const auto watch = bench.time("expand");
    for (auto* cell : cells) {
      if (cell->is_settled) continue;
      for (std::size_t i = first; i < std::min(last, cell->consumers.size()); ++i) {
        auto experiment = experiment_with(loaded, *cell, cell->consumers[i]);
        const auto trials = add_trials(bench, experiment, cell->plan->variant.form->ptx);
        attempts.push_back({cell, std::move(experiment), trials});
      }
    }
  }
  assemble_and_audit(loaded.catalogue, bench, attempts);
}

// Few cells wait for each call of the assembler and of nvdisasm in turn, most of which is the start of a program: what
// later steps usually ask for is assembled with what the first one asks for. It changes nothing but the time.
void add_candidates(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const std::vector<CellWork*>& cells) {
  const auto watch = bench.time("expand");
  for (const auto* cell : cells) {
    const auto& variant = cell->plan->variant;
    const auto add = [&](const Experiment& experiment) { add_trials(bench, experiment, variant.form->ptx); };
    if (cell->consumers.empty()) continue;
    const auto first = expand(loaded, variant, cell->consumers.front());
    add(first);
    for (std::size_t i = 1; i < cell->consumers.size(); ++i) {
      auto other = first;
      change_consumer(loaded, variant, cell->consumers[i], other);
      add(other);
    }
    auto reserved = first, crossed = first;
    change_clocks(loaded, variant, Clocks::second_reserved, reserved);
    add(reserved);
    if (cross_chains(loaded, variant, crossed)) add(crossed);
  }
}

// Whether ptxas gave the second clock of a window a register that an instruction before it still reads.
bool clock_waits(const line::Batch& batch, const CellWork& cell) { return any_clock_waits(batch, cell.trials); }

bool lacks_a_window(const line::Batch& batch, const CellWork& cell) {
  return any_window_is_missing(batch, cell.trials);
}

bool is_lost_to_a_bank_conflict(const line::Batch& batch, const CellWork& cell) {
  return is_lost_to_a_bank_conflict(batch, cell.trials, cell.audits);
}

// Rebuilds the windows of cells with registers reserved for the clocks; ptxas then also chooses the other registers
// differently.
void change_clocks(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const std::vector<CellWork*>& cells,
                   bool (*is_wanted)(const line::Batch&, const CellWork&), Clocks clocks) {
  std::vector<Attempt> attempts;
  for (auto* cell : cells) {
    if (!cell->experiment || cell->experiment->clocks >= clocks || !is_wanted(bench.batch(), *cell)) continue;
    auto experiment = std::move(*cell->experiment);
    change_clocks(loaded, cell->plan->variant, clocks, experiment);
    const auto trials = add_trials(bench, experiment, cell->plan->variant.form->ptx);
    cell->experiment.reset();
    cell->is_settled = false;
    attempts.push_back({cell, std::move(experiment), trials});
  }
  if (!attempts.empty()) assemble_and_audit(loaded.catalogue, bench, attempts);
}

// Whether ptxas moved the instruction, or a part of it, out of the loop, or gave it registers of one bank: a subroutine
// may keep it between the clocks, with different registers.
bool is_lost_to_the_loop(const line::Batch& batch, const CellWork& cell) {
  if (!cell.experiment || cell.audits[Role::chain].is_proven()) return false;
  const auto verdict = decisive_audit(cell.trials, cell.audits).verdict;
  return verdict == sass::Verdict::elided || verdict == sass::Verdict::fused || is_lost_to_a_bank_conflict(batch, cell);
}

// Rebuilds such cells as subroutines, with each consumer, and keeps what is proven.
void try_subroutines(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const std::vector<CellWork*>& cells) {
  std::vector<Attempt> attempts;
  for (auto* cell : cells) {
    if (!is_lost_to_the_loop(bench.batch(), *cell)) continue;
    const bool with_streams = !cell->audits[Role::stream].is_proven();
    cell->is_settled = false;
    for (const auto* consumer : cell->consumers) {
      auto experiment = *cell->experiment;
      change_to_subroutine(loaded, cell->plan->variant, consumer, with_streams, experiment);
      // A kernel that uses memory cannot be one, and without windows its streams would decide.
      if (cell->trials[Role::differential] && experiment.trials[Role::differential].kernel.text.empty()) continue;
      const auto trials = add_trials(bench, experiment, cell->plan->variant.form->ptx);
      attempts.push_back({cell, std::move(experiment), trials});
    }
  }
  if (!attempts.empty()) assemble_and_audit(loaded.catalogue, bench, attempts);
}

// A proven consumer may be on a farther pipe than one that only lacks different registers: that one is tried with other
// frames, whose registers are different.
void try_conflicting(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const std::vector<CellWork*>& cells) {
  std::vector<Attempt> attempts;
  for (auto* cell : cells) {
    const bool is_nearer = cell->conflicting_cycles && cell->scheduled_cycles &&
                           *cell->conflicting_cycles < *cell->scheduled_cycles &&
                           decisive_audit(cell->trials, cell->audits).is_proven();
    if (!is_nearer) continue;
    cell->is_settled = false;
    const auto& variant = cell->plan->variant;
    auto reserved = *cell->experiment, subroutine = *cell->experiment;
    reserved.consumer = cell->conflicting;
    change_clocks(loaded, variant, Clocks::second_reserved, reserved);
    change_to_subroutine(loaded, variant, cell->conflicting, false, subroutine);
    for (auto* experiment : {&reserved, &subroutine}) {
      if (experiment->trials[Role::differential].kernel.text.empty()) continue;
      const auto trials = add_trials(bench, *experiment, variant.form->ptx);
      attempts.push_back({cell, std::move(*experiment), trials});
    }
  }
  if (!attempts.empty()) assemble_and_audit(loaded.catalogue, bench, attempts);
}

// Whether each step that the longer chain has in addition depends on the one before: ptxas can also rewrite steps that
// cross so that they run side by side.
bool depends_step_by_step(const line::Batch& batch, const TrialNumbers& trials, int steps) {
  const auto depth = [&](Role role) { return sass::longest_dependence(*batch.kernel_of(*trials[role]).window); };
  return depth(Role::chain_twice) - depth(Role::chain) >= steps;
}

// Steps that ptxas merged, because they all read the same second source, get the result before the last one instead.
// Only of instructions that are one machine instruction: in longer code, the way from the result before the last one,
// which has two steps' time, may be the longer of the two.
void try_crossed_chains(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const std::vector<CellWork*>& cells) {
  std::vector<Attempt> attempts;
  for (auto* cell : cells) {
    if (!cell->experiment || !cell->audits[Role::differential].is_proven()) continue;
    if (cell->audits[Role::differential].sass.size() != 1) continue;
    const auto verdict = cell->audits[Role::chain].verdict;
    if (verdict != sass::Verdict::fused && verdict != sass::Verdict::elided) continue;
    auto experiment = *cell->experiment;
    if (!cross_chains(loaded, cell->plan->variant, experiment)) continue;
    const auto trials = add_trials(bench, experiment, cell->plan->variant.form->ptx);
    attempts.push_back({cell, std::move(experiment), trials});
  }
  if (attempts.empty()) return;
  bench.assemble();
  const auto watch = bench.time("audit");
  for (auto& [cell, experiment, trials] : attempts) {
    auto audits = audit(loaded.catalogue, bench.batch(), trials, cell->plan->variant, cell->plan->level, experiment);
    if (!audits[Role::chain].is_proven() || !depends_step_by_step(bench.batch(), trials, experiment.steps)) continue;
    cell->experiment = std::move(experiment);
    cell->trials = trials;
    cell->audits = std::move(audits);
  }
}

// Streams whose end waits for results get fewer copies, if possible. Returns their cells.
std::vector<CellWork*> shorten_streams(const ptx::LoadedCatalogue& loaded, line::Bench& bench,
                                       const std::vector<CellWork*>& cells) {
  const auto waits = [&](const CellWork& cell, Role role) {
    const auto& number = cell.trials[role];
    const auto* window = number ? &bench.batch().kernel_of(*number).window : nullptr;
    return window != nullptr && *window && sass::end_waits(**window);
  };
  std::vector<CellWork*> shortened;
  for (auto* cell : cells) {
    if (!cell->experiment || cell->experiment->copies <= 1) continue;
    if (!waits(*cell, Role::stream) && !waits(*cell, Role::stream_twice)) continue;
    shorten_stream(loaded, cell->plan->variant, *cell->experiment);
    cell->trials = add_trials(bench, *cell->experiment, cell->plan->variant.form->ptx);
    shortened.push_back(cell);
  }
  return shortened;
}

// Copies whose results arrive by scoreboard go to a unit with a queue, which takes the first ones as fast as they are
// issued. Adds streams that outlast it, if a copy is one machine instruction: ptxas schedules several of many copies
// differently in each of the two.
std::vector<Attempt> add_long_streams(const ptx::LoadedCatalogue& loaded, line::Bench& bench,
                                      const std::vector<CellWork*>& cells) {
  const auto has_scoreboard = [&](const CellWork& cell) {
    const auto& window = bench.batch().kernel_of(*cell.trials[Role::stream]).window;
    return window && std::any_of(window->instructions.begin(), window->instructions.end(),
                                 [](const auto& i) { return sass::scoreboards_set(i.control) != 0; });
  };
  std::vector<Attempt> attempts;
  for (auto* cell : cells) {
    if (!cell->experiment || !cell->trials[Role::stream]) continue;
    if (cell->audits[Role::stream].sass.size() != 1 || !has_scoreboard(*cell)) continue;
    auto experiment = *cell->experiment;
    if (!outlast_queue(loaded, cell->plan->variant, experiment)) continue;
    const auto trials = add_trials(bench, experiment, cell->plan->variant.form->ptx);
    attempts.push_back({cell, std::move(experiment), trials});
  }
  return attempts;
}

// Long streams of which ptxas made something else are left out.
void take_long_streams(const isa::Catalogue& catalogue, const line::Bench& bench, std::vector<Attempt>& attempts) {
  for (auto& [cell, longer, trials_of_longer] : attempts) {
    auto experiment = *cell->experiment;
    auto trials = cell->trials;
    experiment.copies = longer.copies;
    for (const Role role : {Role::stream, Role::stream_twice}) {
      experiment.trials[role] = std::move(longer.trials[role]);
      trials[role] = trials_of_longer[role];
    }
    auto audits = audit(catalogue, bench.batch(), trials, cell->plan->variant, bench.level(), experiment);
    if (!audits[Role::stream].is_proven()) continue;
    cell->experiment = std::move(experiment);
    cell->trials = trials;
    cell->audits = std::move(audits);
  }
}

void audit_again(const isa::Catalogue& catalogue, const line::Bench& bench, CellWork& cell) {
  cell.audits = audit(catalogue, bench.batch(), cell.trials, cell.plan->variant, bench.level(), *cell.experiment);
}

void run(line::Bench& bench, const std::vector<CellWork*>& cells) {
  std::vector<bool> wanted(bench.batch().size(), false);
  for (const auto* cell : cells) {
    for (const Role role : all_roles) {
      if (cell->trials[role] && cell->experiment->trials[role].is_run) wanted[*cell->trials[role]] = true;
    }
  }
  bench.run(wanted);
}

// Runs the windows behind headlines that leave the SM once more. Returns the survey of each cell.
std::vector<TrialNumbers> survey(line::Bench& bench, const std::vector<CellWork*>& cells) {
  std::vector<TrialNumbers> surveys(cells.size());
  if (!bench.measures()) return surveys;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& cell = *cells[i];
    const Numbers measured{
        *cell.experiment, bench.batch(),
        cell.trials,      cell.audits,
        Source::measured, path_of(cell.plan->variant, bench.level(), *cell.experiment, bench.batch(), cell.trials)};
    surveys[i] = add_survey(bench, measured, headline_of(measured), cell.plan->variant.form->ptx);
  }
  std::vector<bool> wanted(bench.batch().size(), false);
  for (const auto& survey : surveys) {
    for (const auto& trial : survey.values) {
      if (trial) wanted[*trial] = true;
    }
  }
  // Most chunks have none, and would wait for the GPU unnecessarily.
  if (std::find(wanted.begin(), wanted.end(), true) != wanted.end()) bench.run(wanted);
  return surveys;
}

// Runs the cells with experiments and returns a record of each.
std::vector<results::Record> measure(line::Bench& bench, const std::vector<CellWork*>& cells) {
  run(bench, cells);
  const auto surveys = survey(bench, cells);
  const auto watch = bench.time("estimate");
  std::vector<results::Record> records;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& cell = *cells[i];
    records.push_back(estimate(*cell.plan, *cell.experiment, bench.batch(), cell.trials, cell.audits, bench.measures(),
                               surveys[i], bench.card()));
    records.back().gpu = bench.gpu();
  }
  return records;
}

// Accesses that leave the SM differ from GPU to GPU: measures such cells on all the others too. The cell's own record
// is then that of the first GPU.
void measure_on_each_gpu(const line::Bench& bench, const std::vector<CellWork*>& cells) {
  std::vector<CellWork*> far;
  for (auto* cell : cells) {
    if (cell->record.has_flag(results::flag::survey)) far.push_back(cell);
  }
  if (far.empty()) return;
  for (const auto gpu : bench.other_gpus()) {
    auto there = bench.on_gpu(gpu);
    auto records = measure(there, far);
    for (std::size_t i = 0; i < far.size(); ++i) {
      if (gpu < far[i]->record.gpu) std::swap(records[i], far[i]->record);
      far[i]->further_records.push_back(std::move(records[i]));
    }
  }
}

// Why a cell cannot have an experiment; empty if it can.
std::optional<results::Record> without_experiment(const line::Bench& bench, const CellPlan& plan) {
  const auto& form = *plan.variant.form;
  if (const auto reason = why_unsupported(bench, plan.variant); !reason.empty()) {
    auto record = record_without_experiment(plan, sass::Verdict::unsupported, reason);
    if (form.compiler_failed) record.add_flag(results::flag::retry);
    return record;
  }
  if (!form.not_measurable.empty())
    return record_without_experiment(plan, sass::Verdict::no_dependency, form.not_measurable);
  return std::nullopt;
}

}  // namespace

TrialNumbers add_trials(line::Bench& bench, const Experiment& experiment, const std::string& label) {
  TrialNumbers trials;
  for (const Role role : all_roles) {
    const auto& trial = experiment.trials[role];
    if (!trial.kernel.text.empty()) trials[role] = bench.add(trial, label);
  }
  return trials;
}

std::string why_unsupported(const line::Bench& bench, const isa::Variant& variant) {
  const auto& form = *variant.form;
  if (!form.unsupported_because.empty()) return form.unsupported_because;
  const auto needs = isa::requirement_of(variant);
  if (std::pair(needs.ptx_major, needs.ptx_minor) >
      std::pair(bench.toolchain().ptx_major, bench.toolchain().ptx_minor)) {
    return fmt::format("needs PTX {}.{}; {} knows {}.{}", needs.ptx_major, needs.ptx_minor, bench.toolchain().name,
                       bench.toolchain().ptx_major, bench.toolchain().ptx_minor);
  }
  return isa::has_target(needs, bench.target()) ? std::string{} : "needs " + isa::targets_text(needs);
}

std::vector<CellWork> make_cells(const ptx::LoadedCatalogue& loaded, line::Bench& bench,
                                 const std::vector<const CellPlan*>& plans, bool is_for_gpu) {
  std::vector<CellWork> all(plans.size());
  std::vector<CellWork*> cells;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    all[i].plan = plans[i];
    if (auto record = without_experiment(bench, *plans[i])) {
      all[i].record = std::move(*record);
    } else {
      all[i].consumers = consumers_for(loaded.catalogue, plans[i]->variant);
      cells.push_back(&all[i]);
    }
  }
  // The first consumer settles most cells. The rest usually need all remaining consumers, and a call of the assembler
  // and of nvdisasm costs more than a few kernels.
  if (!cells.empty()) {
    constexpr std::size_t few = 24;
    if (cells.size() <= few && !bench.measures()) add_candidates(loaded, bench, cells);
    try_consumers(loaded, bench, cells, 0, 1);
    change_clocks(loaded, bench, cells, clock_waits, Clocks::second_reserved);
    change_clocks(loaded, bench, cells, lacks_a_window, Clocks::reserved);
    // By their schedule, all streams take the same time a copy.
    auto long_streams =
        is_for_gpu || bench.measures() ? add_long_streams(loaded, bench, cells) : std::vector<Attempt>{};
    const auto shortened = shorten_streams(loaded, bench, cells);
    try_consumers(loaded, bench, cells, 1, SIZE_MAX);
    change_clocks(loaded, bench, cells, is_lost_to_a_bank_conflict, Clocks::second_reserved);
    try_subroutines(loaded, bench, cells);
    try_conflicting(loaded, bench, cells);
    try_crossed_chains(loaded, bench, cells);
    for (auto* cell : shortened) audit_again(loaded.catalogue, bench, *cell);
    take_long_streams(loaded.catalogue, bench, long_streams);
  }
  std::vector<CellWork*> with_experiment;
  for (auto* cell : cells) {
    if (cell->experiment) {
      with_experiment.push_back(cell);
    } else {
      cell->record = record_without_experiment(*cell->plan, sass::Verdict::no_dependency,
                                               "no consumer in the catalogue takes its result's type");
    }
  }
  if (with_experiment.empty()) return all;
  auto records = measure(bench, with_experiment);
  for (std::size_t i = 0; i < records.size(); ++i) with_experiment[i]->record = std::move(records[i]);
  measure_on_each_gpu(bench, with_experiment);
  return all;
}

void take_records(CellWork& cell, std::vector<results::Record>& records) {
  records.push_back(std::move(cell.record));
  std::move(cell.further_records.begin(), cell.further_records.end(), std::back_inserter(records));
}

}  // namespace ptxlat::latency
