// SPDX-License-Identifier: Apache-2.0

// What is a line of the list: spellings, operands and levels.
#include "site/list_rows.h"

#include "catch.h"
#include "tables/folder.h"
#include "tables_of.h"

using namespace ptxlat;

namespace {

results::Record with_operand(results::Record cell, const std::string& operand) {
  cell.operand = operand;
  return cell;
}

const site::ListedSpelling& spelling(const site::ListRows& list, const site::Names& names, const std::string& ptx) {
  const auto place = static_cast<int>(names.place.at(ptx));
  return *std::find_if(list.spellings.begin(), list.spellings.end(),
                       [&](const site::ListedSpelling& one) { return one.name == place; });
}

}  // namespace

TEST_CASE("the levels of a form are side by side in one line") {
  const TestFolder folder;
  const auto tables = site_tables_of(folder, {cell_of("add.u32", 0, 15, "IADD3"), cell_of("add.u32", 3, 4, "IADD3")});
  const auto names = site::names_of(tables);
  const auto list = site::list_rows_of(*tables[0], names);
  CHECK(list.levels == std::vector<int>{0, 3});
  REQUIRE(list.groups.size() == 1);
  REQUIRE(list.groups[0].size() == 1);
  const auto& rows = list.groups[0][0].rows;
  CHECK(tables[0]->rows[static_cast<std::size_t>(rows[0])].record.number("cycles") == 15);
  CHECK(tables[0]->rows[static_cast<std::size_t>(rows[3])].record.number("cycles") == 4);
  CHECK(rows[1] == site::no_row);
}

TEST_CASE("spellings with the same machine code share their rows of the list") {
  const TestFolder folder;
  const auto tables = site_tables_of(
      folder, {cell_of("add.u32", 3, 4, "IADD3"), cell_of("add.s32", 3, 4, "IADD3"), cell_of("add.f32", 3, 4, "FADD")});
  const auto names = site::names_of(tables);
  const auto list = site::list_rows_of(*tables[0], names);
  CHECK(list.spellings.size() == 3);
  CHECK(spelling(list, names, "add.u32").group == spelling(list, names, "add.s32").group);
  CHECK(spelling(list, names, "add.u32").group != spelling(list, names, "add.f32").group);
}

TEST_CASE("operands are one line if every column is the same, and two if one differs") {
  const TestFolder folder;
  const auto fast = cell_of("mad.lo.u32", 3, 4, "IMAD");
  auto slow = with_operand(fast, "c");
  give(slow, results::metric::cycles, 2);
  const auto tables = site_tables_of(folder, {fast, with_operand(fast, "b"), slow});
  const auto list = site::list_rows_of(*tables[0], site::names_of(tables));
  REQUIRE(list.groups.size() == 1);
  REQUIRE(list.groups[0].size() == 2);
  CHECK(list.groups[0][0].operand == "a b");
  CHECK(list.groups[0][1].operand == "c");
}

TEST_CASE("a form that the target does not have is listed with the reason") {
  const TestFolder folder;
  results::Record missing;
  missing.ptx = "add.f32x2";
  missing.level = 3;
  missing.verdict = sass::Verdict::unsupported;
  missing.note = "needs sm_100";
  const auto tables = site_tables_of(folder, {cell_of("add.u32", 3, 4, "IADD3"), missing});
  const auto names = site::names_of(tables);
  const auto list = site::list_rows_of(*tables[0], names);
  const auto& one = spelling(list, names, "add.f32x2");
  CHECK(one.group == site::no_row);
  CHECK(one.reason == "unsupported");
  CHECK(one.note == "needs sm_100");
}

TEST_CASE("two tables with one name cannot be told apart by links") {
  const TestFolder folder;
  auto run = run_of();
  for (const char* below : {"a", "b"})
    tables::write_table(folder.path / below, tables::table_from(run, {}, {cell_of("add.u32", 3, 4, "IADD3")}));
  try {
    site::read_tables({folder.path.string()});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::usage);
    CHECK(std::string(error.what()).find("are both the table sm_90/nvidia-h200") != std::string::npos);
  }
}
