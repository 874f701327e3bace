// SPDX-License-Identifier: Apache-2.0
#include "run/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/parallel.h"
#include "latency/method.h"
#include "latency/samples.h"
#include "results/note.h"
#include "run/repeated_cells.h"

namespace ptxlat::run {

Made make_missing(line::Line line, const line::Method& method,
                  const std::vector<std::unique_ptr<line::KernelAssembler>>& assemblers,
                  std::span<const line::Cell> cells, std::span<const results::CellKey> keys, results::Store& store,
                  GpuRuns& runs, const std::function<void(std::size_t)>& on_finished) {
  const auto finished = store.finished(runs.of(0).table);
  std::vector<line::Cell> missing;
  std::unordered_set<std::string> of_cells;
  for (const auto& cell : cells) {
    auto key = keys[cell.number].text();
    if (finished.contains(key)) continue;
    missing.push_back(cell);
    of_cells.insert(std::move(key));
  }
  if (on_finished) on_finished(cells.size() - missing.size());
  if (missing.empty()) return {0, true};
  // A run that is killed here has not finished, though an earlier stage of it has.
  for (std::size_t gpu = 0; gpu < runs.size(); ++gpu) runs.of(gpu).finished_utc.clear();
  runs.save();
  line.on_finished = [&](std::vector<results::Record> records) {
    runs.save_records(records);
    // A cell may have further records: of opcodes that take turns, or of each GPU.
    const auto is_of_cell = [&](const auto& record) { return of_cells.erase(key_of(record).text()) == 1; };
    if (on_finished) on_finished(static_cast<std::size_t>(std::count_if(records.begin(), records.end(), is_of_cell)));
  };
  const bool completed = run_line(line, method, assemblers, missing);
  runs.end(completed);
  return {missing.size(), completed};
}

namespace {

using Clock = std::chrono::steady_clock;

// The run that made the table in the store, if it finished, and if a run that makes nothing need not be recorded. It
// must be recorded if the store does not show that its plan or shard is finished (results/shards.h): if it continues a
// run that was killed between its last cell and its end, or if the runs of other shards made its cells.
std::optional<results::Run> finished_run(const results::Store& store, const results::Run& beginning) {
  const auto runs = store.runs(beginning.table);
  if (runs.empty() || !runs.back().is_finished()) return std::nullopt;
  bool was_begun = !beginning.shard.empty(), was_finished = false;
  for (const auto& run : runs) {
    if (run.plan != beginning.plan || run.shard != beginning.shard) continue;
    was_begun = true;
    was_finished = was_finished || run.is_finished();
  }
  if (was_begun && !was_finished) return std::nullopt;
  // An invocation on several GPUs is one run per GPU: this is the first.
  return *std::find_if(runs.begin(), runs.end(), [&](const results::Run& run) {
    return run.started_utc == runs.back().started_utc && run.command_line == runs.back().command_line;
  });
}

// The headline in nanoseconds, if the clock is known.
void set_elapsed(results::Record& record, const std::optional<double>& sm_clock_mhz) {
  constexpr double ns_per_us = 1e3;
  const auto cycles = record.number(results::metric::cycles);
  if (cycles && sm_clock_mhz) record.set(results::metric::elapsed_ns, *cycles * ns_per_us / *sm_clock_mhz);
}

// The record as it was measured first, marked as unstable. If the repetition failed, its own record, marked: that is
// not final, and so the next run of the command tries the cell again.
results::Record marked(const results::Record& first, const results::Record& again, GpuRuns& runs) {
  const auto before = *first.number(results::metric::cycles);
  const auto now = again.number(results::metric::cycles);
  const auto now_text = now ? fmt::format("{}", *now) : to_string(again.verdict);
  const bool is_same_gpu = first.gpu == again.gpu, has_failed = !results::is_final(again);
  auto record = has_failed ? again : first;
  results::add_note(record.note, is_same_gpu
                                     ? fmt::format("{} cycles in one process, {} in another", before, now_text)
                                     : fmt::format("{} cycles on {}, {} on {}", before, runs.of(first.gpu).device->uuid,
                                                   now_text, runs.of(again.gpu).device->uuid));
  record.add_flag(is_same_gpu ? results::flag::processes_differ : results::flag::gpus_differ);
  if (!has_failed) record.verdict = sass::Verdict::unstable;
  record.set(results::metric::cycles, std::nullopt);
  record.set(results::metric::elapsed_ns, std::nullopt);
  return record;
}

// An error can be constant within one process and only show up in another (method.md, trap 16): measures a sample
// again in a second process, and if there are several GPUs, on a different one. False if it was interrupted.
bool repeat_sample(const line::Line& line, const line::Method& method, const TableJob& job, RepeatedCells& sample,
                   GpuRuns& runs, Repetition& repetition) {
  for (auto* worker : line.workers) worker->restart();
  line::Line again = line;
  again.on_share = {};
  again.on_finished = [&](const std::vector<results::Record>& records) {
    for (const auto& record : records) {
      const auto* before = sample.noted(record);
      const auto first = before == nullptr ? std::nullopt : before->number(results::metric::cycles);
      if (!first) continue;
      ++repetition.repeated;
      const double tolerance = std::max(latency::tolerance_of(*before), latency::tolerance_of(record));
      const auto second = record.number(results::metric::cycles);
      if (second && std::abs(*first - *second) <= tolerance) continue;
      repetition.differing.push_back(marked(*before, record, runs));
    }
  };
  return run_line(again, method, job.assemblers, runs.size() > 1 ? sample.cells_elsewhere() : sample.cells);
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
  GpuRuns runs(store, job.run, job.further);
  if (!missing.empty() && options.sm_clock)
    in_parallel(runs.size(), [&](std::size_t gpu) { runs.of(gpu).sm_clock_mhz = options.sm_clock(gpu); });
  if (!made_by) runs.save();

  line::StationClock clock;
  auto sample = options.workers.empty() ? RepeatedCells{} : sample_of(job.plan, missing, options.repeat, job.run.seed);
  const latency::LatencyMethod method(job.loaded, job.plan);
  line::Line line{.toolchain = job.toolchain,
                  .target = job.target,
                  .disassembler = *job.disassembler,
                  .workers = options.workers,
                  .card = options.card,
                  .launches = job.run.launches,
                  .interrupted = options.interrupted,
                  .clock = &clock};
  std::mutex of_warnings;
  line.on_gpu_lost = [&](std::size_t gpu, const Error& why) {
    const std::scoped_lock lock(of_warnings);
    if (options.on_gpu_lost) runs.of(gpu).warnings.push_back(options.on_gpu_lost(gpu, why));
  };
  line.on_share = options.on_share;
  line.on_finished = [&](std::vector<results::Record> records) {
    for (auto& record : records) {
      set_elapsed(record, runs.of(record.gpu).sm_clock_mhz);
      sample.note(record);
    }
    runs.save_records(records);
    if (options.on_finished) options.on_finished(records);
  };
  MadeTable made;
  made.made = missing.size();
  made.completed = run_line(line, method, job.assemblers, latency::with_alike(job.plan, missing));
  if (made.completed && !sample.cells.empty()) {
    made.repetition.emplace();
    made.completed = repeat_sample(line, method, job, sample, runs, *made.repetition);
    auto differing = made.repetition->differing;
    runs.save_records(differing);
  }

  made.wall_seconds = std::chrono::duration<double>(Clock::now() - started).count();
  if (!missing.empty()) {
    for (std::size_t gpu = 0; gpu < runs.size(); ++gpu) {
      auto& run = runs.of(gpu);
      // Stations are summed over the threads, which serve all GPUs.
      if (gpu == 0) run.station_seconds = clock.seconds();
      run.station_seconds["wall"] = made.wall_seconds;
      if (!options.at_end) continue;
      for (auto& warning : options.at_end(gpu, run.sm_clock_mhz)) run.warnings.push_back(std::move(warning));
    }
  }
  if (!made_by) runs.end(made.completed);
  made.run = made_by.value_or(runs.of(0));
  if (made.completed) made.own = own_tables(store, table);
  return made;
}

}  // namespace ptxlat::run
