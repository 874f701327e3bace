#include "run/probes.h"

#include <algorithm>

#include "run/provenance.h"

namespace ptxlat::run {

namespace {

// Probes are few and each fills a launch queue of its own: a chunk for each, so that each is stored as it is done.
std::vector<line::Cell> missing_cells(const std::vector<probe::ProbePlan>& plan, const results::Store& store,
                                      const std::string& table) {
  const auto finished = store.finished(table);
  std::vector<line::Cell> missing;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!finished.contains(key_of(plan[i]).text()))
      missing.push_back({i, plan[i].level, std::max(plan[i].ptx_bytes, line::most_text_per_chunk)});
  }
  return missing;
}

}  // namespace

MadeProbes make_probes(ProbeJob& job, results::Store& store, worker::Worker& worker,
                       const std::atomic<bool>* interrupted, const std::function<void(std::size_t)>& on_finished,
                       const probe::OnLog& on_log) {
  const auto& table = job.run.table;
  const auto missing = missing_cells(job.plan, store, table);
  if (on_finished) on_finished(job.plan.size() - missing.size());
  MadeProbes made;
  made.made = missing.size();
  if (!missing.empty()) job.run.id = store.save_run(job.run);
  const probe::ProbeMethod method(job.plan, on_log);
  line::Line line{.toolchain = job.toolchain,
                  .target = job.target,
                  .disassembler = *job.disassembler,
                  .worker = &worker,
                  .interrupted = interrupted};
  line.on_finished = [&](std::vector<results::Record> records) {
    for (auto& record : records) record.run = job.run.id;
    store.save_records(table, records);
    if (on_finished) on_finished(records.size());
  };
  made.completed = run_line(line, method, job.assemblers, missing);
  if (!missing.empty()) {
    job.run.finished_utc = utc_now();
    store.save_run(job.run);
  }
  made.run = job.run;
  made.records = store.records(table, results::RecordKind::probe);
  for (const auto& plan : job.plan) {
    const auto found = std::find_if(made.records.begin(), made.records.end(), [&](const results::Record& r) {
      return results::key_of(r).text() == key_of(plan).text();
    });
    if (found != made.records.end()) made.wanted.push_back(*found);
  }
  return made;
}

}  // namespace ptxlat::run
