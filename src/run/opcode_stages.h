// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "run/opcodes.h"
#include "run/parts.h"
#include "run/session.h"

// Shared by the commands that patch machine code (opcodes.cpp, pairs.cpp).

namespace ptxlat::run {

// Distinguishes experiments: a key without its operand, which is the opcode if several take turns. Experiments
// with pairs are also distinguished by their recipes.
inline std::string experiment_of(results::CellKey key) {
  key.operand.clear();
  return key.text();
}

// The records of these experiments in the store. One experiment may have several: opcodes that take turns.
inline std::vector<results::Record> records_of(const results::Store& store, const std::string& table,
                                               results::RecordKind kind, const std::vector<results::CellKey>& keys) {
  std::unordered_set<std::string> wanted;
  for (const auto& key : keys) wanted.insert(experiment_of(key));
  auto records = store.records(table, kind);
  std::erase_if(records, [&](const auto& record) { return !wanted.contains(experiment_of(results::key_of(record))); });
  return records;
}

template <class Plan>
std::vector<results::CellKey> keys_of(const std::vector<Plan>& plan) {
  std::vector<results::CellKey> keys;
  for (const auto& cell : plan) keys.push_back(key_of(cell));
  return keys;
}

// The job's stages; each uses the results of earlier ones in the store.
class Stages {
 public:
  Stages(OpcodeJob& job, results::Store& store, const std::atomic<bool>* interrupted, const OpcodeProgress& progress)
      : job_(job), store_(store), runs_(store, job.run, job.further), interrupted_(interrupted), progress_(progress) {}

  // The runs of the job's GPUs.
  GpuRuns& runs() { return runs_; }

  // The plan's cells, each with as much text as bytes_of says.
  template <class Plan, class BytesOf>
  static Part part_of(const std::vector<Plan>& plan, const line::Method& method, const BytesOf& bytes_of) {
    Part part{&method, {}, keys_of(plan)};
    for (std::size_t i = 0; i < plan.size(); ++i) part.cells.push_back({i, plan[i].level, bytes_of(plan[i])});
    return part;
  }

  // Makes the missing cells of all parts. False if it was interrupted.
  bool make(const char* name, const std::vector<Part>& parts, const std::vector<worker::Worker*>& workers) {
    const PartsMethod method(parts);
    const auto& cells = method.cells();
    if (progress_.on_stage) progress_.on_stage(name, cells.size());
    line::StationClock clock;
    StageTimes times;
    std::vector<worker::WorkerTimes> before;
    for (const auto* worker : workers) before.push_back(worker->times());
    const auto started = std::chrono::steady_clock::now();
    const line::Line line{.toolchain = job_.toolchain,
                          .target = job_.target,
                          .disassembler = *job_.disassembler,
                          .workers = workers,
                          .interrupted = interrupted_,
                          .clock = &clock,
                          .on_gpu_lost = [this](std::size_t gpu, const Error& why) { note_lost(gpu, why); },
                          .gpu_use = &times.gpus};
    const auto [count, completed] =
        make_missing(line, method, job_.assemblers, cells, method.keys(), store_, runs_, progress_.on_finished);
    if (count == 0 || !progress_.on_stage_end) return completed;
    times.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    times.stations = clock.seconds();
    for (std::size_t gpu = 0; gpu < workers.size(); ++gpu) times.workers.push_back(workers[gpu]->times() - before[gpu]);
    progress_.on_stage_end(times);
    return completed;
  }

  template <class Plan>
  bool is_finished(const std::vector<Plan>& plan) const {
    const auto keys = keys_of(plan);
    const auto finished = store_.finished(job_.run.table);
    return std::all_of(keys.begin(), keys.end(), [&](const auto& key) { return finished.contains(key.text()); });
  }

  // The records of a plan that is finished, or was completed except for what may fail again. None of a part of a plan,
  // because most questions have different answers there.
  template <class Plan>
  std::vector<results::Record> whole(const std::vector<Plan>& plan, bool completed) const {
    return completed || is_finished(plan) ? stored(plan) : std::vector<results::Record>{};
  }

  template <class Plan>
  std::vector<results::Record> stored(const std::vector<Plan>& plan) const {
    const auto keys = keys_of(plan);
    if (keys.empty()) return {};
    return records_of(store_, job_.run.table, keys.front().kind, keys);
  }

 private:
  void note_lost(std::size_t gpu, const Error& why) {
    const std::scoped_lock lock(of_warnings_);
    if (progress_.on_gpu_lost) runs_.of(gpu).warnings.push_back(progress_.on_gpu_lost(gpu, why));
  }

  OpcodeJob& job_;
  results::Store& store_;
  GpuRuns runs_;
  std::mutex of_warnings_;
  const std::atomic<bool>* interrupted_;
  const OpcodeProgress& progress_;
};

}  // namespace ptxlat::run
