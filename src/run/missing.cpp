// SPDX-License-Identifier: Apache-2.0
#include "run/missing.h"

#include "run/provenance.h"

namespace ptxlat::run {

Made make_missing(line::Line line, const line::Method& method,
                  const std::vector<std::unique_ptr<line::KernelAssembler>>& assemblers,
                  std::span<const line::Cell> cells, std::span<const results::CellKey> keys, results::Store& store,
                  results::Run& run, const std::function<void(std::size_t)>& on_finished) {
  const auto finished = store.finished(run.table);
  std::vector<line::Cell> missing;
  for (const auto& cell : cells) {
    if (!finished.contains(keys[cell.number].text())) missing.push_back(cell);
  }
  if (on_finished) on_finished(cells.size() - missing.size());
  if (missing.empty()) return {0, true};
  if (run.id == 0) run.id = store.save_run(run);
  line.on_finished = [&](std::vector<results::Record> records) {
    for (auto& record : records) record.run = run.id;
    store.save_records(run.table, records);
    if (on_finished) on_finished(records.size());
  };
  const bool completed = run_line(line, method, assemblers, missing);
  run.finished_utc = utc_now();
  store.save_run(run);
  return {missing.size(), completed};
}

}  // namespace ptxlat::run
