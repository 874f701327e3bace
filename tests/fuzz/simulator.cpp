// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "base/error.h"
#include "compare/compare_facts.h"
#include "fuzz.h"
#include "results/json.h"
#include "simulator/export.h"
#include "tables/folder.h"
#include "tables/latency_columns.h"
#include "tables/opcode_columns.h"
#include "tables/opcode_files.h"
#include "tables/table.h"

namespace ptxlat::fuzz {

namespace {

// Tables for the queries: latency.csv, opcodes.csv, run.json and facts.csv. What is damaged is left out.
tables::Table table_of(const std::string& rows, const std::string& opcodes, const std::string& run,
                       const std::string& facts) {
  tables::Table table;
  const auto tried = [](auto read) {
    try {
      read();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the readers have targets of their own
    }
  };
  tried([&] {
    std::istringstream in(rows);
    table.rows = tables::read_rows(in, "latency.csv", tables::latency_columns());
  });
  tried([&] {
    std::istringstream in(opcodes);
    table.opcodes.opcodes = tables::read_rows(in, "opcodes.csv", tables::opcode_columns());
  });
  const auto folder = scratch_file("simulators/facts.csv", facts).parent_path();
  tried([&] { table.facts = tables::read_table(folder, {tables::Part::facts}).facts; });
  tried([&] { table.run = results::run_from_json(results::parse_json(run)); });
  return table;
}

}  // namespace

// A simulator's data file, a configuration to lay it over, and what the table has.
void simulator(std::string_view input) {
  const auto parts = parts_of(input, 6);
  const auto target = simulator::read_target(scratch_file("simulators/fuzz.toml", parts[0]));
  simulator::Bases bases;
  for (const auto& file : target.files) {
    if (file.is_laid_over) bases[file.name] = parts[1];
  }
  const auto table = table_of(parts[2], parts[3], parts[4], parts[5]);
  for (const auto& base : {simulator::Bases(), bases}) {
    const auto exported = simulator::export_tables(target, table, base, "fuzz");
    simulator::evidence_csv(exported);
    simulator::left_out_csv(exported);
  }
}

}  // namespace ptxlat::fuzz
