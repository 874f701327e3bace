// SPDX-License-Identifier: Apache-2.0
#include "run/probes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "memory/branch.h"
#include "pairs/register_rules.h"
#include "probe/method.h"
#include "probe/points.h"
#include "run/session.h"
#include "tables/folder.h"

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

std::vector<results::Record> reread_probes(const std::filesystem::path& folder,
                                           const std::vector<probe::Probe>& probes) {
  auto records = tables::read_table(folder, {tables::Part::probes}).probes;
  if (records.empty())
    throw Error(ExitCode::storage, fmt::format("there are no probes in {}", folder.string()),
                "Name the folder that has facts.csv and probes.jsonl.zst.");
  for (auto& record : records) {
    const auto same = std::find_if(probes.begin(), probes.end(), [&](const auto& p) { return p.name == record.ptx; });
    if (same == probes.end()) continue;
    probe::read_facts_again(*same, record);
    if (!same->infer) continue;
    std::vector<std::pair<std::string, std::string>> logs;
    for (const auto& role : probe::roles_of(*same)) {
      const auto file = tables::find_probe_log(folder, same->name, same->axes.empty() ? "" : role);
      if (!file.empty()) logs.emplace_back(role, tables::read_probe_log(file));
    }
    if (!logs.empty()) probe::infer_facts_again(*same, logs, record);
  }
  tables::rewrite_facts(folder, records);
  return records;
}

std::string rule_in_tables(const std::vector<std::filesystem::path>& folders, const std::string& quantity) {
  std::string value;
  std::filesystem::path where;
  for (const auto& folder : folders) {
    const auto table = tables::read_table(folder, {tables::Part::probes});
    for (const auto& record : table.probes) {
      for (const auto& fact : record.facts) {
        if (fact.quantity != quantity || fact.value.empty() || fact.value == value) continue;
        if (!value.empty())
          throw Error(
              ExitCode::usage,
              fmt::format("{} is {} in {}, and {} in {}", quantity, value, where.string(), fact.value, folder.string()),
              "Name one of them with --table.");
        value = fact.value;
        where = folder;
      }
    }
  }
  if (value.empty())
    throw Error(ExitCode::storage, fmt::format("no table has {}", quantity),
                "Name a table that has it with --table, or measure it: `ptxlat probe`.");
  return value;
}

std::vector<std::filesystem::path> folders_with_probes(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> folders;
  if (!std::filesystem::is_directory(folder)) return folders;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_directory() && tables::has_probes(entry.path())) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

const std::vector<PredictingQuantity>& predicting_quantities() {
  static const std::vector<PredictingQuantity> all{{"simt.two_way_rule", memory::predict_branch},
                                                   {"register.bank_rule", pairs::predict_registers},
                                                   {"register.reuse_rule", pairs::predict_reuse}};
  return all;
}

const PredictingQuantity& predicting_quantity(const std::string& quantity) {
  const auto& all = predicting_quantities();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.quantity == quantity; });
  if (found != all.end()) return *found;
  std::string known;
  for (const auto& one : all) known += fmt::format("{}{}", known.empty() ? "" : ", ", one.quantity);
  throw Error(ExitCode::unknown_name, fmt::format("{} is not a rule that predicts cases", quantity),
              fmt::format("Rules: {}.", known));
}

}  // namespace ptxlat::run
