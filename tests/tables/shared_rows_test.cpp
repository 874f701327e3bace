// SPDX-License-Identifier: Apache-2.0
#include "tables/shared_rows.h"

#include <set>
#include <sstream>

#include "../results/test_folder.h"
#include "catch.h"
#include "cells.h"
#include "compare/compare.h"
#include "tables/folder.h"

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::tables;

namespace {

results::Record form(const std::string& ptx, int level, double cycles, const std::string& opcode,
                     bool is_core = false) {
  auto record = cell_of(ptx, level, cycles, opcode);
  record.is_core = is_core;
  record.set(results::metric::cycles, cycles, {"differential"});
  return record;
}

// The rows of these records, by the form and level whose code they have.
struct SharedRecords {
  std::vector<std::string> rows;
  std::vector<Spelling> spellings;
};
SharedRecords share_rows(const std::vector<results::Record>& records) {
  const auto outlines = outline_of({records.size(), [&](std::size_t i, Code) { return records[i]; }}).rows;
  auto [rows, spellings] = tables::share_rows(outlines);
  SharedRecords shared{{}, std::move(spellings)};
  for (const auto& [outline, levels] : rows) {
    std::string name = outlines[outline].ptx + " of O" + std::to_string(outlines[outline].level) + ":";
    for (const int level : levels) name += " O" + std::to_string(level);
    shared.rows.push_back(name);
  }
  return shared;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("levels and spellings of the same machine code are one row, of the form that people write") {
  std::vector<results::Record> records;
  for (const int level : {0, 2, 3}) {
    records.push_back(form("ld.weak.u32", level, level == 0 ? 15 : 4, "LDG"));
    records.push_back(form("ld.u32.x", level, level == 0 ? 15 : 4, "LDG", true));
    records.push_back(form("ld.acquire.u32", level, 9, "LDG.STRONG"));
  }
  const auto shared = share_rows(records);
  CHECK(shared.rows == Names{"ld.u32.x of O0: O0", "ld.acquire.u32 of O3: O0 O2 O3", "ld.u32.x of O3: O2 O3"});
  REQUIRE(shared.spellings.size() == 9);
  CHECK(shared.spellings.front() == Spelling{"ld.weak.u32", 0, "ld.u32.x", ""});
  CHECK(shared.spellings.at(2) == Spelling{"ld.acquire.u32", 0, "ld.acquire.u32", ""});
}

TEST_CASE("code is the same whatever its registers are called and wherever it branches, and nothing else") {
  const auto rows_with = [](const std::string& text) {
    auto a = form("op.a", 3, 4, "BRA"), b = form("op.b", 3, 4, "BRA");
    a.windows[0].sass[1].text = "@P0 BRA R4, UR2, 0x100";
    b.windows[0].sass[1].text = text;
    return share_rows({a, b}).rows.size();
  };
  CHECK(rows_with("@P1 BRA R4, UR4, 0x900") == 1);
  CHECK(rows_with("@!P0 BRA R4, UR2, 0x100") == 2);
  CHECK(rows_with("@P0 BRA R4, R2, 0x100") == 2);
  auto a = form("op.a", 3, 4, "IADD3"), b = form("op.b", 3, 4, "IADD3");
  a.windows[0].sass[1].text = "IADD3 R4, R5, R5, 0x10";
  for (const char* text : {"IADD3 R4, R5, R6, 0x10", "IADD3 R4, R5, R5, 0x20", "IADD3 R5, R5, R5, 0x10"}) {
    b.windows[0].sass[1].text = text;
    CHECK(share_rows({a, b}).rows.size() == 2);
  }
  b = a;
  b.ptx = "op.b";
  CHECK(share_rows({a, b}).rows.size() == 1);
  b.windows[0].sass[1].stall_count += 1;
  CHECK(share_rows({a, b}).rows.size() == 2);
  b = a;
  b.ptx = "op.b";
  a.windows[0].sass[1].text = b.windows[0].sass[1].text = "CALL.ABS.NOINC R6";
  {
    INFO("the code of what is called is not in the window");
    CHECK(share_rows({a, b}).rows.size() == 2);
  }
  b = a;
  b.ptx = "other.b";
  INFO("another instruction has rows of its own");
  CHECK(share_rows({a, b}).rows.size() == 2);
}

TEST_CASE("forms share their rows only as a whole: each operand and class of inputs") {
  auto a = form("op.a", 3, 4, "IADD3"), b = form("op.b", 3, 4, "IADD3"), slow = form("op.b", 3, 9, "IADD3");
  slow.input = "slow path";
  CHECK(share_rows({a, b, slow}).rows == Names{"op.a of O3: O3", "op.b of O3: O3", "op.b of O3: O3"});
}

TEST_CASE("medians of surveys may differ between forms of the same code, other numbers may not") {
  auto a = form("op.a", 3, 4, "LDG"), b = form("op.b", 3, 4, "LDG");
  b.set(results::metric::cycles, 5, {"differential"});
  CHECK(share_rows({a, b}).rows.size() == 2);
  for (auto* record : {&a, &b}) record->add_flag(results::flag::survey);
  CHECK(share_rows({a, b}).rows.size() == 1);
}

TEST_CASE("a form without a number says why, and one that the target does not support gets no row") {
  auto elided = form("op.a", 3, 4, "IADD3"), unsupported = elided;
  take_numbers(elided);
  elided.verdict = sass::Verdict::elided;
  take_numbers(unsupported);
  unsupported.ptx = "op.new";
  unsupported.verdict = sass::Verdict::unsupported;
  unsupported.note = "needs PTX 9.1";
  const auto shared = share_rows({elided, unsupported});
  CHECK(shared.rows.size() == 1);
  CHECK(shared.spellings ==
        std::vector<Spelling>{{"op.a", 3, "op.a", "elided"}, {"op.new", 3, "", "unsupported", "needs PTX 9.1"}});
}

TEST_CASE("a table answers for every spelling and level, even after it was written, with and without machine code") {
  const TestFolder folder;
  std::vector<results::Record> records;
  for (const int level : {2, 3}) {
    records.push_back(form("ld.weak.u32", level, 4, "LDG"));
    records.push_back(form("ld.u32", level, 4, "LDG", true));
  }
  const auto table = table_of(records);
  for (const TableDetail detail : {TableDetail::everything, TableDetail::columns_only}) {
    write_table(folder.path, table, detail);
    const auto back = read_table(folder.path / table.run.table);
    CHECK(back.spellings == table.spellings);
    std::multiset<std::pair<std::string, int>> cells;
    for (const Cell& cell : back.cells) {
      cells.emplace(cell.record.ptx, cell.record.level);
      CHECK(cell.record.number(results::metric::cycles) == 4);
      CHECK(cell.levels == std::vector<int>{2, 3});
      CHECK(cell.leads == (cell.record.ptx == "ld.u32" && cell.record.level == 3));
    }
    CHECK(cells == std::multiset<std::pair<std::string, int>>{
                       {"ld.u32", 2}, {"ld.u32", 3}, {"ld.weak.u32", 2}, {"ld.weak.u32", 3}});
  }
  std::ostringstream csv;
  write_csv(csv, table);
  CHECK(csv.str().find("\nld.u32,integer,a,random,O3,O2 O3,4,") != std::string::npos);
  CHECK(csv.str().find("weak") == std::string::npos);
}

TEST_CASE("for publishing, a row keeps the code behind its number") {
  auto both = form("op.a", 3, 4, "IADD3");
  both.windows.push_back(both.windows[0]);
  both.windows[1].role = "stream";
  both.set(results::metric::issue, 2, {"stream"});
  auto issue_only = both;
  issue_only.ptx = "op.b";
  take_numbers(issue_only);
  issue_only.set(results::metric::issue, 2, {"stream"});
  const auto table = table_from(run_of(), {}, {both, issue_only}, Code::of_headline);
  REQUIRE(table.cells.size() == 2);
  CHECK((table.cells[0].windows.size() == 1 && table.cells[0].windows[0].role == "differential"));
  CHECK((table.cells[1].windows.size() == 1 && table.cells[1].windows[0].role == "stream"));
}

TEST_CASE("tables are compared by spelling, whichever form has the row, and once for each row") {
  const auto old = table_of({form("ld.u32", 3, 4, "LDG"), form("ld.weak.u32", 3, 4, "LDG")});
  const auto now = table_of(
      {form("ld.u32", 3, 9, "LDG.NEW"), form("ld.weak.u32", 3, 4, "LDG"), form("ld.relaxed.u32", 3, 9, "LDG.NEW")});
  const auto compared = compare_tables({&old, {}, "old", {}}, {&now, {}, "now", {}});
  REQUIRE(compared.rows.size() == 1);
  CHECK(compared.rows[0].record().ptx == "ld.u32");
  REQUIRE(compared.unchanged.size() == 1);
  CHECK(compared.unchanged[0]->record.ptx == "ld.weak.u32");
}
