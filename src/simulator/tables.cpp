// SPDX-License-Identifier: Apache-2.0
#include "simulator/tables.h"

#include "report/csv.h"
#include "report/opcode_files.h"
#include "report/probe_files.h"
#include "report/table_files.h"
#include "report/table_lines.h"

namespace ptxlat::simulator {

Tables read_tables(const std::filesystem::path& folder) {
  Tables tables;
  tables.folder = folder;
  tables.facts = report::read_facts(folder);
  tables.opcodes = report::read_csv_file(folder / report::opcodes_name, report::opcode_columns);
  if (report::has_only_experiments(folder)) {
    if (const auto runs = report::read_probe_runs(folder); !runs.empty()) tables.run = results::to_json(runs.back());
    return tables;
  }
  auto files = report::read_table_files(folder);
  tables.run = results::to_json(files.run);
  tables.spellings = std::move(files.spellings);
  tables.rows = std::move(files.rows);
  if (files.lines) {
    for (auto& cell : report::rows_in(*files.lines, folder))
      tables.rows.push_back({std::move(cell.record), std::move(cell.levels)});
  }
  return tables;
}

}  // namespace ptxlat::simulator
