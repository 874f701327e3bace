#include <fstream>
#include <sstream>

#include "catch.h"
#include "cells.h"
#include "report/number.h"
#include "report/table.h"
#include "report/window.h"

using namespace ptxlat;

namespace {

// The rows a reader of a table meets: proven, fused at one level, rejected everywhere, many opcodes, a missing level,
// nothing that could depend on it.
Table few_rows() {
  std::vector<CellRecord> cells = {cell_of("add.u32", 0, 15, "IADD3"), cell_of("add.u32", 3, 4, "IADD3")};
  cells[1].bracket = 2.5;
  cells[1].overhead = 2;
  cells[1].chain = 4;
  cells[0].issue = 15;
  cells[1].issue = 1.5;

  CellRecord fused = cell_of("min.u32", 3, 4, "VIMNMX3");
  fused.cycles = fused.differential = fused.static_cycles = std::nullopt;
  fused.verdict = Verdict::fused;
  fused.note = "2 steps became one VIMNMX3, \"merged\"";
  cells.push_back(cell_of("min.u32", 0, 15, "VIMNMX"));
  cells.push_back(fused);

  CellRecord division = cell_of("div.s32", 3, 65, "I2F.RP");
  division.input = "power of two";
  division.sass = {"I2F.RP", "MUFU.RCP", "IADD3", "IADD3", "IADD3", "F2I.FTZ.U32.TRUNC.NTZ", "IMAD.HI.U32"};
  division.sass_count = 7;
  division.windows[0].static_is_lower_bound = true;
  cells.push_back(division);

  for (const int level : {0, 3}) {
    CellRecord rejected;
    rejected.ptx = "add.bf16";
    rejected.chapter = "half";
    rejected.operand = "a|b";
    rejected.level = level;
    rejected.verdict = Verdict::rejected;
    rejected.note = "ptxas line 12: not supported\nsecond line";
    cells.push_back(rejected);
  }

  for (const int level : {0, 3}) {
    CellRecord barrier = cell_of("bar.sync", level, 1, "BAR.SYNC");
    barrier.chapter = "barriers";
    barrier.cycles = barrier.differential = barrier.static_cycles = std::nullopt;
    barrier.issue = level == 0 ? 30 : 19;
    barrier.note = "nothing can depend on it: only its issue cost is measured";
    cells.push_back(barrier);
  }
  return table_of(std::move(cells));
}

std::string golden(const std::string& name) {
  std::ifstream in(std::string(PTXLAT_SOURCE_DIR "/tests/report/golden/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("the csv of a few rows is byte for byte the contract's") {
  std::ostringstream out;
  write_csv(out, few_rows().cells);
  CHECK(out.str() == golden("few_rows.csv"));
}

TEST_CASE("the Markdown of a few rows has the levels side by side and a verdict where there is no number") {
  Table table = few_rows();
  table.provenance.device = DeviceInfo{0, "NVIDIA H200", "GPU-1", 90, 132, 1980000, 3201000, "580.159.04", 13000};
  std::ostringstream out;
  write_markdown(out, table);
  CHECK(out.str() == golden("few_rows.md"));
}

TEST_CASE("the terminal's table is aligned and says what has no number") {
  std::ostringstream out;
  write_text(out, few_rows());
  CHECK(out.str() == golden("few_rows.txt"));
}

TEST_CASE("a static table shows the schedule's numbers and marks lower bounds") {
  Table table = few_rows();
  table.provenance.kind = "static";
  for (CellRecord& cell : table.cells) cell.cycles = cell.issue = cell.differential = std::nullopt;
  std::ostringstream out;
  write_text(out, table);
  CHECK(out.str() == golden("few_rows_static.txt"));
}

TEST_CASE("a table without cells is written without rows") {
  std::ostringstream text, markdown;
  write_text(text, table_of({}));
  write_markdown(markdown, table_of({}));
  CHECK(text.str().find("0 cells") != std::string::npos);
  CHECK(markdown.str().find('|') == std::string::npos);
}

TEST_CASE("numbers are the shortest decimals that read back") {
  CHECK(decimal(4.0) == "4");
  CHECK(decimal(100000.0) == "100000");
  CHECK(decimal(0.1) == "0.1");
  CHECK(decimal(2.5) == "2.5");
  CHECK(decimal(-0.0) == "0");
  CHECK(decimal(1e21) == "1000000000000000000000");
  CHECK(decimal(std::nullopt).empty());
  CHECK(decimal(std::numeric_limits<double>::quiet_NaN()).empty());
  CHECK(signed_decimal(3) == "+3");
  CHECK(signed_decimal(-1.5) == "-1.5");
  CHECK(signed_decimal(0) == "0");
}

TEST_CASE("opcodes are read behind a predicate and shortened when they repeat") {
  CHECK(opcode_of("@!P0 IADD3.X R0, R2") == "IADD3.X");
  CHECK(opcode_of("NOP") == "NOP");
  CHECK(opcode_of("EXIT ;") == "EXIT");
  CHECK(opcode_of("").empty());
  CHECK(opcode_of("@P0").empty());
  CHECK(brief_opcodes({}, 20).empty());
  CHECK(brief_opcodes({"IMAD", "IMAD", "IADD3"}, 20) == "IMAD×2;IADD3");
  CHECK(brief_opcodes({"A", "B", "C", "C"}, 3) == "A;B;…+2");
}

TEST_CASE("the windows behind a number are those of the witness that has its value") {
  CellRecord cell;
  CHECK(backing_windows(cell).empty());
  for (const char* role : {"overhead", "bracket", "differential", "differential base", "chain", "chain twice"}) {
    cell.windows.push_back(window_of(role, {}, {}));
  }
  const auto roles = [&] {
    std::vector<std::string> list;
    for (const WindowRecord* window : backing_windows(cell)) list.push_back(window->role);
    return list;
  };
  const std::vector<std::string> chain = {"chain", "chain twice"};
  const std::vector<std::string> differential = {"differential", "differential base"};
  cell.cycles = cell.chain = cell.differential = 4;
  CHECK(roles() == chain);
  cell.chain = 8;
  CHECK(roles() == differential);
  cell.chain = std::nullopt;
  CHECK(roles() == differential);
  cell.cycles = cell.chain = cell.differential = std::nullopt;
  CHECK(roles() == chain);
  cell.windows[4].verdict = Verdict::fused;
  CHECK(roles() == differential);
  cell.windows[4].verdict = Verdict::proven;
  cell.windows.push_back(window_of("bridge", {}, {}));
  CHECK(roles() == std::vector<std::string>{"chain", "chain twice", "bridge", "bracket"});
}

TEST_CASE("a damaged csv is refused with its line") {
  std::ostringstream out;
  write_csv(out, few_rows().cells);
  const std::string good = out.str();
  const auto message = [](const std::string& csv) -> std::string {
    std::istringstream in(csv);
    try {
      read_csv(in, "latency.csv");
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string csv = good;
    return csv.replace(csv.find(from), from.size(), to);
  };
  CHECK(message(good).empty());
  const std::string columns = good.substr(0, good.find('\n'));
  CHECK(message("") == "latency.csv:1: the columns are not those of a latency table, which are " + columns);
  CHECK(message(replaced("cycles", "clocks")).find("csv:1: ") != std::string::npos);
  CHECK(message(replaced("O3,4,", "O3,four,")).find("csv:3: not a number: four") != std::string::npos);
  for (const char* number : {"nan", "inf", "-inf", "1e999"}) {
    CHECK(message(replaced("O3,4,", std::string("O3,") + number + ",")).find("not a number: ") != std::string::npos);
  }
  CHECK(message(replaced("O3,4,", "O3," + std::string(1000, '9') + ",")).size() < 100);
  CHECK(message(replaced("O3", "O5")).find("csv:3: not a level such as O3: O5") != std::string::npos);
  CHECK(message(replaced("O3", "3")).find("csv:3: not a level such as O3: 3") != std::string::npos);
  CHECK(message(replaced("proven", "sure")).find("csv:2: unknown verdict: sure") != std::string::npos);
  CHECK(message(replaced("integer,a,", "integer,")).find("csv:2: 15 fields instead of 16") != std::string::npos);
  CHECK(message(replaced("cycles,issue,", "issue,cycles,")).find("csv:1: ") != std::string::npos);
  CHECK(message(replaced("cycles,issue,", "cycles,")).find("csv:2: 16 fields instead of 15") != std::string::npos);
  CHECK(message(good.substr(0, good.find("second line"))).find("a quote is not closed") != std::string::npos);
}
