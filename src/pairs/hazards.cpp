// SPDX-License-Identifier: Apache-2.0
#include "pairs/hazards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/parallel.h"
#include "latency/cells.h"
#include "latency/experiment_builder.h"
#include "line/window_record.h"
#include "loops/patch.h"
#include "pairs/hazard_kernel.h"
#include "pairs/scheduled_pairs.h"
#include "sass/results.h"

namespace ptxlat::pairs {

namespace {

constexpr int launches_of_kernel = 3;
// Each of a cell's two kernels counts as so many: its launches keep a GPU busy for as long as assembling the others.
constexpr std::size_t kernels_of_trial = 4;

results::Record begun(const HazardPlan& plan) {
  const auto& form = *plan.variant.form;
  auto record = results::record_of(key_of(plan));
  record.chapter = form.chapter;
  record.is_core = form.core == form.ptx;
  record.consumer = plan.consumer->name;
  return record;
}

ptx::Trial plain_window(const ptx::LoadedCatalogue& loaded, const HazardPlan& plan) {
  const latency::ExperimentBuilder builder{loaded, plan.variant, plan.consumer};
  auto trial = builder.with_op(loaded.skeletons.differential);
  trial.role = "differential";
  trial.is_run = false;
  return trial;
}

// Identifies hazards whose values are right at the same distance: the opcodes, and where the consumer reads which
// results. The low half of a product is there before the high one.
std::string key_of(const HazardCode& code) {
  auto key = fmt::format("{} {}", sass::opcode_of(code.first().text), sass::opcode_of(code.second().text));
  for (const auto& written : sass::results_of(code.first().text))
    key += fmt::format(" {}", sass::slot_of(code.second().text, written));
  return key;
}

// The distance at which a ladder of reads begins: what the schedule says and some more, so that a schedule that is too
// short would show. A result under a scoreboard begins with its own measured time.
int start_of(int scheduled) {
  constexpr int more = 2;
  return std::clamp(scheduled + more, 1, longest_distance);
}

// Where a ladder of overwriting begins, from the distance at which the result can be read: the second writer has a
// latency of its own.
int start_of_overwriting(const std::vector<HazardLadder>& ladders) {
  constexpr int least_latency = 4;
  for (const auto& ladder : ladders) {
    if (const auto lowest = lowest_right(ladder); lowest && is_read(ladder.hazard))
      return std::max(*lowest - least_latency, 1);
  }
  return 1;
}

// The distance that ptxas leaves between the two without places; empty if the code without places has no such pair.
std::optional<int> scheduled_distance(const results::Record& record) {
  for (const auto& pair : pairs_of(record.windows.front())) {
    if (pair.producer == record.sass.front() && pair.consumer == record.sass.back())
      return std::clamp(pair.distance, 1, longest_distance);
  }
  return std::nullopt;
}

}  // namespace

int first_distance(const HazardCode& code, std::optional<int> scheduled) {
  return std::max(scheduled.value_or(1), shortest_distance(code, Hazard::read_after_write));
}

results::CellKey key_of(const HazardPlan& plan) {
  return {results::RecordKind::hazard,
          plan.variant.form->ptx,
          plan.consumer->name,
          plan.variant.input->name,
          plan.level,
          plan.recipe};
}

std::vector<HazardPlan> plan_hazards(const ptx::LoadedCatalogue& loaded, const std::vector<const isa::Form*>& forms,
                                     int level) {
  std::vector<HazardPlan> plan;
  for (const auto* form : forms) {
    const auto variant = isa::variants_of(*form).front();
    if (!why_no_hazard(variant).empty()) continue;
    const auto consumers = latency::consumers_for(loaded.catalogue, variant);
    for (const auto* consumer : consumers)
      plan.push_back({variant, consumer, consumer == consumers.front(), level, {}, 0});
  }
  std::stable_sort(plan.begin(), plan.end(),
                   [](const auto& x, const auto& y) { return x.variant.form->order < y.variant.form->order; });
  in_parallel(plan.size(), [&](std::size_t i) {
    auto& cell = plan[i];
    Hash hash;
    hash.add(std::string_view(hazard_version));
    try {
      for (const auto& trial : {hazard_trial(loaded, cell.variant, *cell.consumer), plain_window(loaded, cell)}) {
        ptx::add(hash, trial);
        cell.ptx_bytes += kernels_of_trial * trial.kernel.text.size();
      }
    } catch (const Error& error) {  // too many operands: the record says so
      hash.add(std::string_view(error.what()));
    }
    cell.recipe = hash.text();
  });
  return plan;
}

// All hazards that can be made of the code, put into the record.
std::vector<HazardLadder> HazardMethod::climb_all(const HazardCode& code, int start, Fault fault, const RunHazard& run,
                                                  results::Record& record) const {
  std::vector<HazardLadder> ladders;
  for (const auto hazard : all_hazards) {
    if (const auto why = why_not_made(code, hazard); !why.empty()) {
      if (hazard == Hazard::unawaited_read && code.waits()) record.note = why;
      continue;
    }
    const bool is_once = hazard == Hazard::write_after_write;
    if (is_once && is_overwritten(record.sass)) continue;
    const int from = is_read(hazard) ? start : is_once ? start_of_overwriting(ladders) : 1;
    ladders.push_back(climb(hazard, from, fault, run, shortest_distance(code, hazard)));
    put(record, ladders.back());
    if (is_once && lowest_right(ladders.back())) keep_overwritten(record.sass);
  }
  return ladders;
}

bool HazardMethod::is_overwritten(const std::vector<std::string>& opcodes) const {
  const std::scoped_lock lock(mutex_);
  return overwritten_.contains(opcodes);
}

void HazardMethod::keep_overwritten(const std::vector<std::string>& opcodes) const {
  const std::scoped_lock lock(mutex_);
  overwritten_.insert(opcodes);
}

// Issue to issue: how much later the second clock is than with a NOP, which delays nothing, in the producer's place.
std::vector<HazardLadder> HazardMethod::measure(line::Bench& bench, std::size_t trial, const HazardCode& code,
                                                results::Record& record) const {
  const auto& kernel = bench.batch().kernel_of(trial);
  const RunHazard run = [&](Hazard hazard, Arrangement arrangement, int distance) {
    const auto cubin = with_hazard(bench.batch().cubin_of(trial), kernel.symbol, code,
                                   hazard_words(code, hazard, arrangement, distance));
    auto outcome = bench
                       .launch(worker::LaunchBatch{
                           cubin, {{kernel.symbol, bench.batch().trial(trial).launch, launches_of_kernel}}})
                       .front();
    if (outcome.status != ptx::LaunchStatus::ok) {
      const std::scoped_lock lock(mutex_);
      failed_.add(record.sass.front());
    }
    return outcome;
  };
  const auto scheduled = scheduled_distance(record);
  const int first = first_distance(code, scheduled);
  const bool is_address = reaches_address(code);
  int start = start_of(first);
  if (is_address) {
    // Without the producer there is no address, and nothing to compare with.
    if (code.waits()) start = longest_distance;
    return climb_all(code, start, Fault::old_address, run, record);
  }
  const auto alone = run(Hazard::read_after_write, Arrangement::consumer_alone, 1);
  const auto pair = run(Hazard::read_after_write, Arrangement::pair, first);
  for (const auto* outcome : {&alone, &pair}) {
    if (outcome->status == ptx::LaunchStatus::ok) continue;
    results::give_up(record,
                     outcome->status == ptx::LaunchStatus::timeout ? sass::Verdict::timeout : sass::Verdict::fault,
                     outcome->message);
    return {};
  }
  // The NOPs within a distance are missing behind it, where each takes a cycle.
  const double more = elapsed_of_hazard(pair.readout) - elapsed_of_hazard(alone.readout) + nops_within(first);
  if (scheduled || code.waits()) record.set(results::metric::differential, more + 1);
  if (code.waits()) start = start_of(static_cast<int>(more) + 1);
  return climb_all(code, start, Fault::nowhere, run, record);
}

bool HazardMethod::knows(const std::string& key, results::Record& record) const {
  const std::scoped_lock lock(mutex_);
  const auto known = measured_.find(key);
  if (known == measured_.end()) return false;
  record.gpu = known->second.gpu;
  record.series = known->second.series;
  record.metrics = known->second.metrics;
  record.note = known->second.note;
  record.flags = known->second.flags;
  record.verdict = known->second.verdict;
  record.windows.front().measured_as = known->second.ptx;
  return true;
}

void HazardMethod::keep(const std::string& key, const std::vector<HazardLadder>& ladders,
                        const results::Record& record) const {
  // A second form may have better addresses, and further ones other values. A failure costs a process.
  constexpr int most_tries = 4, tries_of_failure = 2;
  const bool has_failed =
      record.verdict != sass::Verdict::proven ||
      std::any_of(ladders.begin(), ladders.end(), [](const auto& ladder) { return ladder.has_failed; });
  const std::scoped_lock lock(mutex_);
  auto& tries = tries_[key];
  tries += has_failed ? tries_of_failure : 1;
  if (is_settled(ladders, record.number(results::metric::differential)) || tries >= most_tries)
    measured_.emplace(key, record);
}

std::string HazardMethod::why_not_run(const HazardPlan& plan, const HazardCode& code,
                                      const std::string& producer) const {
  if (!plan.is_first && code.waits() && reads_address(code.first()))
    return "when a result comes from memory is measured with its first consumer only";
  const std::scoped_lock lock(mutex_);
  if (failed_.forbid(producer, reaches_address(code)))
    return "not measured: enough launches have failed, and an old value may fault here";
  return {};
}

std::vector<results::Record> HazardMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  std::vector<results::Record> records;
  std::vector<std::array<std::size_t, 2>> trials(chunk.size());  // with places, and as ptxas would schedule it
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    const auto& plan = plan_[chunk[i].number];
    auto& record = records.emplace_back(begun(plan));
    if (auto reason = latency::why_unsupported(bench, plan.variant); !reason.empty()) {
      results::give_up(record, sass::Verdict::unsupported, reason);
      record.set_flag(results::flag::retry, plan.variant.form->compiler_failed);
      continue;
    }
  }
  const auto add_all = [&](std::size_t place, const auto& trial_of) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const auto& plan = plan_[chunk[i].number];
      if (records[i].verdict != sass::Verdict::proven) continue;
      try {
        trials[i][place] = bench.add(trial_of(plan), plan.variant.form->ptx);
      } catch (const Error& error) {
        results::give_up(records[i], sass::Verdict::no_dependency, error.what());
      }
    }
  };
  // What is never launched is not in the modules that a GPU loads.
  add_all(0, [&](const HazardPlan& plan) { return hazard_trial(loaded_, plan.variant, *plan.consumer); });
  add_all(1, [&](const HazardPlan& plan) { return plain_window(loaded_, plan); });
  bench.assemble(loops::kernels_per_module);
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    auto& record = records[i];
    if (record.verdict != sass::Verdict::proven) continue;
    const auto& kernel = bench.batch().kernel_of(trials[i][0]);
    const auto& plain = bench.batch().kernel_of(trials[i][1]);
    if (!kernel.window || !plain.window) {
      results::give_up(record, sass::Verdict::rejected, kernel.window ? plain.log : kernel.log);
      record.set_flag(results::flag::retry, (kernel.window ? plain : kernel).assembler_failed);
      continue;
    }
    record.windows = {line::window_record("differential", plain, {})};
    const auto code = find_hazard(*kernel.window);
    if (!code.problem.empty()) {
      results::give_up(record, sass::Verdict::contaminated, code.problem);
      continue;
    }
    record.sass = {std::string(sass::opcode_of(code.first().text)), std::string(sass::opcode_of(code.second().text))};
    record.sass_count = static_cast<int>(code.code.size());
    if (!bench.measures()) continue;
    const auto key = key_of(code);
    const auto turn = by_key_.wait_for(key);
    if (knows(key, record)) continue;
    record.note = why_not_run(plan_[chunk[i].number], code, record.sass.front());
    if (!record.note.empty()) continue;
    bench.begin_cell();
    const auto ladders = measure(bench, trials[i][0], code, record);
    record.gpu = bench.gpu();
    keep(key, ladders, record);
  }
  return records;
}

}  // namespace ptxlat::pairs
