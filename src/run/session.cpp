// SPDX-License-Identifier: Apache-2.0
#include "run/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "latency/method.h"
#include "latency/survey.h"
#include "run/provenance.h"
#include "run/repeated_cells.h"
#include "run/stored_table.h"

namespace ptxlat::run {

namespace {

using Clock = std::chrono::steady_clock;

bool is_finished(const results::Run& run) { return !run.finished_utc.empty() && !run.was_interrupted; }

// The run that made the table in the store, if it finished, and if a run that makes nothing need not be noted. It must
// be if the store does not say that its plan, or its shard of it, is finished (results/shards.h): if it continues a run
// that was killed between its last cell and its end, or if other shards' runs made its cells.
std::optional<results::Run> finished_run(const results::Store& store, const results::Run& beginning) {
  const auto runs = store.runs(beginning.table);
  if (runs.empty() || !is_finished(runs.back())) return std::nullopt;
  bool was_begun = !beginning.shard.empty(), was_finished = false;
  for (const auto& run : runs) {
    if (run.plan != beginning.plan || run.shard != beginning.shard) continue;
    was_begun = true;
    was_finished = was_finished || is_finished(run);
  }
  if (was_begun && !was_finished) return std::nullopt;
  return runs.back();
}

// The headline in nanoseconds, if the clock is known.
void set_elapsed(results::Record& record, const std::optional<double>& sm_clock_mhz) {
  constexpr double ns_per_us = 1e3;
  const auto cycles = record.number(results::metric::cycles);
  if (cycles && sm_clock_mhz) record.set(results::metric::elapsed_ns, *cycles * ns_per_us / *sm_clock_mhz);
}

// The record as the first process measured it, marked as unstable.
results::Record marked(results::Record record, const results::Record& again) {
  const auto before = *record.number(results::metric::cycles);
  const auto now = again.number(results::metric::cycles);
  record.note += fmt::format("{}{} cycles in one process, {} in another", record.note.empty() ? "" : "; ", before,
                             now ? fmt::format("{}", *now) : to_string(again.verdict));
  record.add_flag(results::flag::processes_differ);
  record.verdict = sass::Verdict::unstable;
  record.set(results::metric::cycles, std::nullopt);
  record.set(results::metric::elapsed_ns, std::nullopt);
  return record;
}

// An error can be constant within one process and only show up in another (method.md, trap 16): measures a sample
// again in a second process. False if it was interrupted.
bool repeat_sample(const line::Line& line, const line::Method& method, const TableJob& job, const RepeatedCells& sample,
                   Repetition& repetition) {
  line.worker->restart();
  line::Line again = line;
  again.on_finished = [&](const std::vector<results::Record>& records) {
    for (const auto& record : records) {
      const auto* before = sample.noted(record);
      const auto first = before == nullptr ? std::nullopt : before->number(results::metric::cycles);
      if (!first) continue;
      ++repetition.repeated;
      const double tolerance = std::max(latency::tolerance_of(*before), latency::tolerance_of(record));
      const auto second = record.number(results::metric::cycles);
      if (second && std::abs(*first - *second) <= tolerance) continue;
      repetition.differing.push_back(marked(*before, record));
    }
  };
  return run_line(again, method, job.assemblers, sample.cells);
}

}  // namespace

MadeTable make_table(TableJob& job, results::Store& store, const SessionOptions& options) {
  const auto started = Clock::now();
  const auto& table = job.run.table;
  const auto finished = store.finished(table);
  std::vector<line::Cell> missing = latency::line_cells(job.plan);
  std::erase_if(missing,
                [&](const line::Cell& cell) { return finished.contains(key_of(job.plan[cell.number]).text()); });
  if (options.on_planned) options.on_planned(job.plan.size() - missing.size());
  // A run that finds all of its cells in the store makes none, and only writes the table again.
  const auto made_by = missing.empty() ? finished_run(store, job.run) : std::nullopt;
  if (!missing.empty() && options.sm_clock) job.run.sm_clock_mhz = options.sm_clock();
  if (!made_by) job.run.id = store.save_run(job.run);

  line::StationClock clock;
  auto sample =
      options.worker != nullptr ? sample_of(job.plan, missing, options.repeat, job.run.seed) : RepeatedCells{};
  const latency::LatencyMethod method(job.loaded, job.plan);
  line::Line line{.toolchain = job.toolchain,
                  .target = job.target,
                  .disassembler = *job.disassembler,
                  .worker = options.worker,
                  .launches = job.run.launches,
                  .interrupted = options.interrupted,
                  .clock = &clock};
  line.on_finished = [&](std::vector<results::Record> records) {
    for (auto& record : records) {
      record.run = job.run.id;
      set_elapsed(record, job.run.sm_clock_mhz);
      sample.note(record);
    }
    store.save_records(table, records);
    if (options.on_finished) options.on_finished(records);
  };
  MadeTable made;
  made.made = missing.size();
  made.completed = run_line(line, method, job.assemblers, latency::with_alike(job.plan, missing));
  if (made.completed && !sample.cells.empty()) {
    made.repetition.emplace();
    made.completed = repeat_sample(line, method, job, sample, *made.repetition);
    store.save_records(table, made.repetition->differing);
  }

  made.wall_seconds = std::chrono::duration<double>(Clock::now() - started).count();
  if (!missing.empty()) {
    job.run.station_seconds = clock.seconds();
    job.run.station_seconds["wall"] = made.wall_seconds;
    if (options.at_end) {
      for (auto& warning : options.at_end(job.run.sm_clock_mhz)) job.run.warnings.push_back(std::move(warning));
    }
  }
  if (!made_by) {
    job.run.finished_utc = utc_now();
    job.run.was_interrupted = !made.completed;
    store.save_run(job.run);
  }
  made.run = made_by.value_or(job.run);
  if (!made.completed) return made;
  auto stored = stored_table(store, table);
  made.records = std::move(stored.records);
  made.runs = std::move(stored.runs);
  return made;
}

}  // namespace ptxlat::run
