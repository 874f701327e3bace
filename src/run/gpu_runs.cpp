// SPDX-License-Identifier: Apache-2.0
#include "run/gpu_runs.h"

#include <algorithm>
#include <map>

#include "run/provenance.h"

namespace ptxlat::run {

GpuRuns::GpuRuns(results::Store& store, const results::Run& first, const std::vector<FurtherGpu>& further)
    : store_(store), runs_{first}, own_(1 + further.size()) {
  store.require_readable(first.table);
  for (const auto& gpu : further) {
    auto& run = runs_.emplace_back(first);
    run.device = gpu.device;
    run.warnings = gpu.warnings;
  }
}

void GpuRuns::save() {
  for (auto& run : runs_) run.id = store_.save_run(run);
  for (std::size_t gpu = 0; gpu < own_.size(); ++gpu) {
    if (own_[gpu].id != 0) own(gpu);
  }
}

void GpuRuns::end(bool completed) {
  const auto now = utc_now();
  for (auto& run : runs_) {
    run.finished_utc = now;
    run.was_interrupted = !completed;
  }
  save();
}

// Saved in the same way as the GPU's run for the table.
results::Run& GpuRuns::own(std::size_t gpu) {
  const auto id = own_[gpu].id;
  own_[gpu] = runs_[gpu];
  own_[gpu].id = id;
  own_[gpu].table = own_table(runs_[gpu]);
  own_[gpu].id = store_.save_run(own_[gpu]);
  return own_[gpu];
}

void GpuRuns::save_records(std::vector<results::Record>& records) {
  std::map<std::string, std::size_t> lowest;  // GPU, by the cell
  for (auto& record : records) {
    record.run = runs_[record.gpu].id;
    const auto key = key_of(record).text();
    const auto [entry, is_new] = lowest.emplace(key, record.gpu);
    if (is_new) continue;
    entry->second = std::min(entry->second, record.gpu);
    first_[key] = entry->second;
  }
  const auto first_own = std::stable_partition(records.begin(), records.end(), [&](const results::Record& record) {
    const auto key = key_of(record).text();
    const auto known = first_.find(key);
    return record.gpu == (known == first_.end() ? lowest.at(key) : known->second);
  });
  std::map<std::size_t, std::vector<results::Record>> by_gpu;
  for (auto record = first_own; record != records.end(); ++record) by_gpu[record->gpu].push_back(*record);
  records.erase(first_own, records.end());
  // The table itself comes last: it decides whether a cell is finished.
  for (auto& [gpu, of_gpu] : by_gpu) {
    const auto& run = own_[gpu].id == 0 ? own(gpu) : own_[gpu];
    for (auto& record : of_gpu) record.run = run.id;
    store_.save_records(run.table, of_gpu);
  }
  store_.save_records(runs_.front().table, records);
}

std::string own_table(const results::Run& run) { return run.table + "/gpus/" + run.device->uuid; }

std::vector<results::Run> own_tables(const results::Store& store, const std::string& table) {
  auto runs = store.newest_runs();
  std::erase_if(runs, [&](const results::Run& run) { return !run.table.starts_with(table + "/gpus/"); });
  return runs;
}

}  // namespace ptxlat::run
