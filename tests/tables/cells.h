// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tables/table.h"
#include "text.h"

namespace ptxlat {

// A window of these instructions, with their stall counts; the clocks are the first and the last.
inline results::WindowRecord window_of(const std::string& role, const std::vector<std::string>& texts,
                                       const std::vector<int>& stall_counts) {
  results::WindowRecord window;
  window.role = role;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    window.sass.push_back({static_cast<int>(i) * 16, texts[i], stall_counts[i]});
    if (i + 1 != texts.size()) window.static_cycles += stall_counts[i];
  }
  return window;
}

// Sets or removes a metric. The windows behind it stay the same: at first the differential, or the streams for `issue`.
inline void give(results::Record& record, std::string_view tag, std::optional<double> value) {
  std::vector<std::string> from = {"differential", "differential base"};
  if (tag == results::metric::issue) from = {"stream", "stream twice"};
  if (const results::Metric* before = record.find(tag)) from = before->from;
  record.set(tag, value, from);
}

// Takes every metric away.
inline void take_numbers(results::Record& record) { record.metrics.clear(); }

// A proven cell of one SASS opcode with a differential window "clock, op, LOP3, clock".
inline results::Record cell_of(const std::string& ptx, int level, double cycles, const std::string& opcode) {
  results::Record cell;
  cell.ptx = ptx;
  cell.chapter = "integer";
  cell.operand = "a";
  cell.input = "random";
  cell.level = level;
  for (const auto tag : {results::metric::cycles, results::metric::differential, results::metric::static_cycles})
    give(cell, tag, cycles);
  cell.sass = {opcode};
  cell.sass_count = 1;
  cell.windows = {window_of(
      "differential", {"CS2R R2, SR_CLOCKLO", opcode + " R4, R5, R6", "LOP3.LUT R4, R4, R7", "CS2R R8, SR_CLOCKLO"},
      {2, static_cast<int>(cycles), 5, 1})};
  return cell;
}

inline results::Run run_of(const std::string& kind = "measured") {
  results::Run run;
  run.kind = kind;
  run.table = "sm_90/nvidia-h200/driver-580.159.04";
  run.target = "sm_90";
  run.toolchain = "driver-580.159.04";
  run.tool_version = "0.1.0";
  run.finished_utc = "2026-01-02T03:04:05Z";
  return run;
}

inline tables::Table table_of(const std::vector<results::Record>& records, const std::string& kind = "measured") {
  return tables::table_from(run_of(kind), {}, records);
}

inline std::vector<results::Record> records_of(const tables::Table& table) {
  std::vector<const tables::Cell*> cells;
  for (const tables::Cell& cell : table.cells) cells.push_back(&cell);
  return tables::whole_records(table, cells);
}

// The text that is expected, of a file in golden/.
inline std::string golden(const std::string& name) {
  return content_of(std::string(PTXLAT_SOURCE_DIR "/tests/tables/golden/") + name);
}

}  // namespace ptxlat
