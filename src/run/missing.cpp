// SPDX-License-Identifier: Apache-2.0
#include "run/missing.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "run/provenance.h"

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
  const auto now = utc_now();
  for (std::size_t gpu = 0; gpu < runs.size(); ++gpu) {
    runs.of(gpu).finished_utc = now;
    runs.of(gpu).was_interrupted = !completed;
  }
  runs.save();
  return {missing.size(), completed};
}

}  // namespace ptxlat::run
