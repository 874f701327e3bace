// SPDX-License-Identifier: Apache-2.0
#include "run/probes.h"

#include <algorithm>

#include "run/missing.h"

namespace ptxlat::run {

MadeProbes make_probes(ProbeJob& job, results::Store& store, worker::Worker& worker,
                       const std::atomic<bool>* interrupted, const std::function<void(std::size_t)>& on_finished,
                       const probe::OnLog& on_log) {
  const auto& table = job.run.table;
  // There are few probes, and each fills a launch queue by itself: each is a chunk, so that it is stored when finished.
  std::vector<line::Cell> cells;
  std::vector<results::CellKey> keys;
  for (std::size_t i = 0; i < job.plan.size(); ++i) {
    cells.push_back({i, job.plan[i].level, std::max(job.plan[i].ptx_bytes, line::most_text_per_chunk)});
    keys.push_back(key_of(job.plan[i]));
  }
  GpuRuns runs(store, job.run, {});
  const auto [count, completed] =
      make_missing({.toolchain = job.toolchain,
                    .target = job.target,
                    .disassembler = *job.disassembler,
                    .workers = {&worker},
                    .interrupted = interrupted},
                   probe::ProbeMethod(job.plan, on_log), job.assemblers, cells, keys, store, runs, on_finished);
  MadeProbes made;
  made.made = count;
  made.completed = completed;
  made.run = runs.of(0);
  const auto records = store.records(table, results::RecordKind::probe);
  for (const auto& plan : job.plan) {
    const auto found = std::find_if(records.begin(), records.end(), [&](const results::Record& r) {
      return results::key_of(r).text() == key_of(plan).text();
    });
    if (found != records.end()) made.wanted.push_back(*found);
  }
  return made;
}

}  // namespace ptxlat::run
