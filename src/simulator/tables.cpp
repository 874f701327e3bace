// SPDX-License-Identifier: Apache-2.0
#include "simulator/tables.h"

#include "tables/opcode_columns.h"
#include "tables/opcode_files.h"
#include "tables/probe_files.h"
#include "tables/table_files.h"
#include "tables/table_lines.h"

namespace ptxlat::simulator {

Tables read_tables(const std::filesystem::path& folder) {
  Tables tables;
  tables.folder = folder;
  tables.facts = tables::read_facts(folder);
  tables.opcodes = tables::read_rows(folder / tables::opcodes_name, tables::opcode_columns());
  if (tables::has_only_experiments(folder)) {
    if (const auto runs = tables::read_probe_runs(folder); !runs.empty()) tables.run = results::to_json(runs.back());
    return tables;
  }
  auto files = tables::read_table_files(folder);
  tables.run = results::to_json(files.run);
  tables.spellings = std::move(files.spellings);
  tables.rows = std::move(files.rows);
  if (files.lines) {
    tables.rows = tables::rows_in(*files.lines, folder);
    for (auto& row : tables.rows) row.windows.clear(), row.line = {};  // views into the lines
  }
  return tables;
}

}  // namespace ptxlat::simulator
