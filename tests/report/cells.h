#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "report/table.h"

namespace ptxlat {

// A window of these instructions, with their stall counts; the clocks are the first and the last.
inline WindowRecord window_of(const std::string& role, const std::vector<std::string>& texts,
                              const std::vector<int>& stall_counts) {
  WindowRecord window;
  window.role = role;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    window.sass.push_back({static_cast<int>(i) * 16, texts[i], stall_counts[i]});
    if (i + 1 != texts.size()) window.static_cycles += stall_counts[i];
  }
  return window;
}

// A proven cell of one SASS opcode with a differential window "clock, op, LOP3, clock".
inline CellRecord cell_of(const std::string& ptx, int level, double cycles, const std::string& opcode) {
  CellRecord cell;
  cell.ptx = ptx;
  cell.chapter = "integer";
  cell.operand = "a";
  cell.input = "random";
  cell.level = level;
  cell.cycles = cell.differential = cell.static_cycles = cycles;
  cell.sass = {opcode};
  cell.sass_count = 1;
  cell.windows = {window_of(
      "differential", {"CS2R R2, SR_CLOCKLO", opcode + " R4, R5, R6", "LOP3.LUT R4, R4, R7", "CS2R R8, SR_CLOCKLO"},
      {2, static_cast<int>(cycles), 5, 1})};
  return cell;
}

inline Table table_of(std::vector<CellRecord> cells, const std::string& kind = "measured") {
  Table table;
  table.provenance.kind = kind;
  table.provenance.table = "sm_90/nvidia-h200/driver-580.159.04";
  table.provenance.target = "sm_90";
  table.provenance.toolchain = "driver-580.159.04";
  table.provenance.tool_version = "0.1.0";
  table.provenance.finished_utc = "2026-01-02T03:04:05Z";
  table.cells = std::move(cells);
  return table;
}

}  // namespace ptxlat
