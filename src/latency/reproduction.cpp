// SPDX-License-Identifier: Apache-2.0
#include "latency/reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "latency/cells.h"
#include "latency/numbers.h"
#include "line/window_record.h"

namespace ptxlat::latency {

namespace {

// Keeps the last module that it assembled.
class NotingAssembler : public assemble::Assembler {
 public:
  NotingAssembler(std::unique_ptr<assemble::Assembler> inner, std::string& module)
      : inner_(std::move(inner)), module_(module) {}
  assemble::ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) override {
    module_ = ptx;
    return inner_->assemble(ptx, target, level);
  }

 private:
  std::unique_ptr<assemble::Assembler> inner_;
  std::string& module_;
};

// The frame declares the register of the object page and loads it; any further mention of it in a kernel uses an object
// (ptx_templates/isa/host_objects.toml).
bool uses_objects(const ptx::Kernel& kernel) {
  constexpr std::string_view name = "%memory";
  constexpr int of_the_frame = 2;
  int mentions = 0;
  for (auto at = kernel.text.find(name); at != std::string::npos; at = kernel.text.find(name, at + name.size()))
    ++mentions;
  return mentions > of_the_frame;
}

// The cell's trials that the assembler accepted, in the other bench.
TrialNumbers move_trials(const line::Bench& from, line::Bench& to, const CellWork& cell) {
  TrialNumbers moved;
  for (const Role role : all_roles) {
    const auto& trial = cell.experiment->trials[role];
    if (!cell.trials[role] || !from.batch().kernel_of(*cell.trials[role]).cubin) continue;
    moved[role] = to.add(trial, cell.plan->variant.form->ptx);
  }
  return moved;
}

class Cells {
 public:
  Cells(const line::Bench& bench, int launches) : bench_(bench), launches_(launches) {}

  ReproducedCell cell_of(const CellWork& work, const TrialNumbers& trials, const Audits& audits) {
    ReproducedCell cell{work.record, work.experiment->copies, 0, {}};
    const Numbers schedule{
        *work.experiment, bench_.batch(),
        trials,           audits,
        Source::schedule, path_of(work.plan->variant, work.plan->level, *work.experiment, bench_.batch(), trials)};
    audits_ = &audits;
    if (schedule.path) cell.beside = schedule.path->cycles_beside;
    // A formula over inner times is linear: each window's factor is its value if only that window takes one cycle.
    const auto of_witness = [&](std::string_view tag, Headline witness, std::optional<double> by_schedule) {
      std::map<Role, double> factors;
      for (const Role role : roles_behind(witness, schedule)) {
        if (!trials[role]) return;
        const auto unit = [&](Role other) { return std::optional(other == role ? 1.0 : 0.0); };
        factors[role] = schedule.value(witness, unit).value_or(0);
      }
      add(cell, schedule, tag, factors, true, by_schedule);
    };
    const auto headline = headline_of(schedule);
    if (headline != Headline::none)
      of_witness(results::metric::cycles, headline,
                 headline == Headline::chain ? schedule.chain() : schedule.differential());
    if (schedule.is_proven(Headline::differential))
      of_witness(results::metric::differential, Headline::differential, schedule.differential());
    if (schedule.is_proven(Headline::chain)) of_witness(results::metric::chain, Headline::chain, schedule.chain());
    if (cell.copies > 0 && audits[Role::stream].is_proven() && trials[Role::stream] && trials[Role::stream_twice]) {
      const double each = 1.0 / cell.copies;
      add(cell, schedule, results::metric::issue, {{Role::stream_twice, each}, {Role::stream, -each}}, true,
          schedule.issue());
    }
    if (!trials[Role::overhead] || !audits[Role::overhead].is_proven()) return cell;
    add(cell, schedule, results::metric::overhead, {{Role::overhead, 1}}, false, schedule.overhead());
    if (trials[Role::bracket] && audits[Role::bracket].is_proven())
      add(cell, schedule, results::metric::bracket, {{Role::bracket, 1}, {Role::overhead, -1}}, false,
          schedule.bracket());
    return cell;
  }

  std::vector<ReproducedWindow> windows;

 private:
  // The index of a trial's window among all windows.
  std::size_t window_of(Role role, const Numbers& numbers) {
    const auto trial = *numbers.trials[role];
    const auto [known, is_new] = numbers_.try_emplace(trial, windows.size());
    if (is_new) {
      const auto& kernel = *numbers.kernel(role);
      const auto& planned = numbers.experiment.trials[role];
      windows.push_back({kernel.symbol, planned.launch, line::launches_of(*numbers.trial(role), launches_),
                         uses_objects(planned.kernel), line::window_record(to_string(role), kernel, (*audits_)[role])});
    }
    return known->second;
  }

  //  of_inner  the formula is over inner times: elapsed times minus the stall counts of the edges
  void add(ReproducedCell& cell, const Numbers& numbers, std::string_view tag, const std::map<Role, double>& factors,
           bool of_inner, std::optional<double> by_schedule) {
    ReproducedNumber number{tag, {}, 0, by_schedule, false};
    for (const auto& [role, factor] : factors) {
      const auto& schedule = numbers.kernel(role)->schedule;
      number.terms.push_back({window_of(role, numbers), factor});
      if (of_inner) number.constant -= factor * numbers.edges(role);
      number.schedule_is_lower_bound |= schedule.is_lower_bound || schedule.branches;
    }
    cell.numbers.push_back(std::move(number));
  }

  const line::Bench& bench_;
  int launches_;
  const Audits* audits_ = nullptr;
  std::map<std::size_t, std::size_t> numbers_;  // of trials
};

}  // namespace

Reproduction reproduce(const ptx::LoadedCatalogue& loaded, const line::Line& line,
                       std::unique_ptr<assemble::Assembler> assembler, const std::vector<CellPlan>& plan) {
  Reproduction made;
  const auto kernel_assembler = line::make_kernel_assembler(
      std::make_unique<NotingAssembler>(std::move(assembler), made.ptx), line.toolchain, line.target);
  line::Gpus none({});
  line::Interruption interruption(line.interrupted);
  line::Bench bench(line, *kernel_assembler, none, interruption, plan.front().level);
  std::vector<const CellPlan*> plans;
  for (const auto& cell : plan) plans.push_back(&cell);
  constexpr bool is_for_gpu = true;
  const auto works = make_cells(loaded, bench, plans, is_for_gpu);

  auto alone = bench.at_level(plan.front().level);
  std::vector<TrialNumbers> trials;
  for (const auto& work : works) trials.push_back(work.experiment ? move_trials(bench, alone, work) : TrialNumbers{});
  made.ptx.clear();
  alone.assemble();
  for (std::size_t i = 0; i < alone.batch().size(); ++i) {
    const auto& kernel = alone.batch().kernel_of(i);
    if (kernel.cubin != 0)
      throw Error(ExitCode::failure,
                  fmt::format("{} does not assemble {} once more: {}", line.toolchain.name, kernel.name, kernel.log));
  }
  if (alone.batch().size() > 0) made.cubin = alone.batch().cubin_of(0);

  Cells cells(alone, line.launches);
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (!works[i].experiment) {
      made.cells.push_back({works[i].record, 0, 0, {}});
      continue;
    }
    const auto audits = audit(loaded.catalogue, alone.batch(), trials[i], works[i].plan->variant, plan.front().level,
                              *works[i].experiment);
    made.cells.push_back(cells.cell_of(works[i], trials[i], audits));
  }
  made.windows = std::move(cells.windows);
  return made;
}

}  // namespace ptxlat::latency
