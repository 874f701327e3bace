// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../results/test_folder.h"
#include "../tables/cells.h"
#include "base/file.h"
#include "simulator/export.h"
#include "tables/folder.h"
#include "tables/opcode_columns.h"
#include "tables/probe_files.h"

namespace ptxlat {

inline results::Opcode opcode(const std::string& name, const std::string& pipe, double interval, double latency) {
  results::Opcode made;
  made.name = made.stands_for_it = name;
  made.pipe = pipe;
  made.throughput = 64;
  made.unit = "results";
  made.interval = interval;
  made.saturates_at = 4;
  made.latency = latency;
  made.forms = 1;
  return made;
}

// A cell of ordinary inputs.
inline results::Record plain_cell(const std::string& ptx, double cycles, const std::string& opcode) {
  auto cell = cell_of(ptx, 3, cycles, opcode);
  cell.input = "";
  return cell;
}

inline results::Fact fact_of(const std::string& quantity, const std::string& value, const std::string& unit,
                             const std::string& condition = "") {
  results::Fact fact;
  fact.quantity = quantity;
  fact.condition = condition;
  fact.value = value;
  fact.unit = unit;
  fact.scope = "kind";
  fact.verdict = value.empty() ? results::FactVerdict::undetermined : results::FactVerdict::measured;
  return fact;
}

// A small table in a folder of its own: four forms, two opcodes, six facts.
struct InventedTable {
  TestFolder folder;
  std::filesystem::path table;

  InventedTable() {
    auto run = run_of();
    run.table = "sm_90/invented/driver-1";
    run.device = gpu::DeviceInfo{};
    run.device->name = "Invented";
    run.device->sm_count = 7;
    tables::write_table(folder.path,
                        tables::table_from(run, {},
                                           {plain_cell("add.s32", 4, "IADD3"), plain_cell("mul.s32", 5, "IMAD"),
                                            plain_cell("add.f64", 8, "DADD"), plain_cell("mul.f64", 11, "DMUL")}));
    table = folder.path / run.table;
    results::Record probe;
    probe.kind = results::RecordKind::probe;
    probe.ptx = "caches";
    probe.facts = {fact_of("l1.sets", "4", "count"),       fact_of("l1.latency", "33.4", "cycles"),
                   fact_of("l2.latency", "280", "cycles"), fact_of("l1.policy", "lru", "text"),
                   fact_of("l2.policy", "", "text"),       fact_of("l1.bytes", "2048", "bytes", "carveout=1")};
    tables::write_probe_files(table, {probe}, {});
    replace_file(table / "opcodes.csv",
                 tables::csv_of(tables::opcode_columns(),
                                std::vector{opcode("DADD", "fp64", 2.004, 8), opcode("IADD3", "alu", 2, 4)}));
  }

  simulator::Target target(const std::string& toml) const {
    replace_file(folder.path / "mine.toml", toml);
    return simulator::read_target(folder.path / "mine.toml");
  }
};

}  // namespace ptxlat
