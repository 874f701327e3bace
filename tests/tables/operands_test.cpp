// SPDX-License-Identifier: Apache-2.0
#include "tables/operands.h"

#include <sstream>

#include "../results/test_folder.h"
#include "catch.h"
#include "cells.h"
#include "compare/compare.h"
#include "compare/matrix.h"
#include "pages/live_table.h"
#include "tables/folder.h"
#include "tables/join.h"
#include "tables/rows.h"

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::pages;
using namespace ptxlat::tables;

namespace {

// A cell of mad.lo.u32: its number is a differential's, which all operands share, and its chain is its operand's own.
results::Record mad(const std::string& operand, int level = 3, double cycles = 5) {
  auto cell = cell_of("mad.lo.u32", level, cycles, "IMAD");
  cell.operand = operand;
  cell.recipe = "recipe-" + operand;
  cell.windows.push_back(
      window_of("chain", {"CS2R R2, SR_CLOCKLO", "IMAD R4, R" + operand, "CS2R R8, SR_CLOCKLO"}, {2, 4, 1}));
  return cell;
}

std::vector<std::string> operands_in(const Table& table) {
  std::vector<std::string> operands;
  for (const Cell& cell : table.cells) operands.push_back(cell.record.operand);
  return operands;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a list of operands is its names; no name at all is one empty operand") {
  using Views = std::vector<std::string_view>;
  CHECK(operands_of("a b cc") == Views{"a", "b", "cc"});
  CHECK(operands_of("a") == Views{"a"});
  CHECK(operands_of("") == Views{""});
  CHECK(operand_list({"a", "b"}) == "a b");
  CHECK(operand_list({""}).empty());
}

TEST_CASE("operands with a number from the very same windows are one row, with the windows and recipes of all") {
  const auto table = table_of({mad("a"), mad("b"), mad("c")});
  CHECK(operands_in(table) == Texts{"a b c"});
  const auto row = records_of(table).at(0);
  CHECK(row.recipe == "recipe-a recipe-b recipe-c");
  REQUIRE(row.windows.size() == 4);
  CHECK((row.windows[0].role == "differential" && row.windows[0].operand.empty()));
  for (int i = 1; i < 4; ++i) CHECK(row.windows[i].role == "chain");
  CHECK((row.windows[1].operand == "a" && row.windows[2].operand == "b" && row.windows[3].operand == "c"));
  std::ostringstream csv, markdown;
  write_csv(csv, table);
  CHECK(csv.str().find("mad.lo.u32,integer,a b c,random,O3,O3,5,") != std::string::npos);
  write_markdown(markdown, table);
  CHECK(markdown.str().find("| `mad.lo.u32` | a b c | random |") != std::string::npos);
}

TEST_CASE("records that differ in a number, its windows or a word stay separate rows") {
  const auto rows = [](const auto& change) {
    auto other = mad("b");
    change(other);
    return table_of({mad("a"), other}).cells.size();
  };
  CHECK(rows([](auto&) {}) == 1);
  CHECK(rows([](auto& r) { give(r, results::metric::chain, 4); }) == 2);
  CHECK(rows([](auto& r) { r.note = "4 in a chain"; }) == 2);
  CHECK(rows([](auto& r) { r.input = "denormal"; }) == 2);
  CHECK(rows([](auto& r) { r.level = 2; }) == 2);
  CHECK(rows([](auto& r) { r.consumer = "xor.b32"; }) == 2);
  CHECK(rows([](auto& r) { r.windows[0].sass[1].stall_count = 6; }) == 2);
  CHECK(rows([](auto& r) { r.windows[0].sass[1].text = "IMAD R4, R9, R6"; }) == 2);
  // A run that continued an interrupted one, at a different clock, is not a difference.
  CHECK(rows([](auto& r) {
          r.run = 2;
          r.set(results::metric::elapsed_ns, 2.5);
        }) == 1);
  // The place of a window in its kernel is not a difference.
  CHECK(rows([](auto& r) {
          for (auto& instruction : r.windows[0].sass) instruction.offset += 64;
        }) == 1);
  // A separate chain led: a different experiment, although its number is the same.
  const auto led_by_chain = [](auto r) {
    for (const auto tag : {results::metric::cycles, results::metric::static_cycles}) r.set(tag, 5, {"chain"});
    return r;
  };
  CHECK(table_of({led_by_chain(mad("a")), led_by_chain(mad("b"))}).cells.size() == 2);
}

TEST_CASE("operands share a row even if only some were made in full as a check of the level") {
  auto taken_over = mad("b", 2);
  taken_over.code_of_level = 3;
  CHECK(operands_in(table_of({mad("a", 2), taken_over})) == Texts{"a b"});
  CHECK(records_of(table_of({taken_over, mad("a", 2)})).at(0).code_of_level == -1);
  CHECK(records_of(table_of({taken_over})).at(0).code_of_level == 3);
  std::ostringstream csv;
  write_csv(csv, table_of({mad("a", 2), taken_over, mad("a"), mad("b")}));
  CHECK(csv.str().find("mad.lo.u32,integer,a b,random,O3,O2 O3,5,") != std::string::npos);
}

TEST_CASE("cells without an operand are never merged, and those of one reason without a number are") {
  auto store = cell_of("st.u32", 3, 4, "STG"), twin = store;
  store.operand.clear();
  twin.operand.clear();
  CHECK(table_of({store, twin}).cells.size() == 2);
  auto a = mad("a"), b = mad("b");
  for (auto* cell : {&a, &b}) {
    take_numbers(*cell);
    cell->verdict = sass::Verdict::elided;
  }
  CHECK(operands_in(table_of({a, b})) == Texts{"a b"});
}

TEST_CASE("a merged table is read back as it was written, and an operand that is there twice is damage") {
  const TestFolder folder;
  const auto table = table_of({mad("a"), mad("b")});
  write_table(folder.path, table);
  const auto back = read_table(folder.path / table.run.table);
  CHECK(operands_in(back) == Texts{"a b"});
  CHECK(records_of(back) == records_of(table));
  // As when tables of separate rows are read, one of which is for an operand that the other also has.
  auto both = mad("a b"), one = mad("b");
  give(one, results::metric::chain, 9);
  write_table(folder.path, table_of({both, one}));
  CHECK_THROWS_WITH(read_table(folder.path / table.run.table), Catch::Matchers::Contains("operand \"b\""));
}

TEST_CASE("for people, levels are side by side even if only one of them merges the operands") {
  auto chained = mad("b", 0, 75);
  give(chained, results::metric::chain, 60);
  const auto table = table_of({mad("a", 0, 75), mad("a"), chained, mad("b")});
  REQUIRE(operands_in(table) == Texts{"a", "a b", "b"});
  const auto rows = rows_of(table.cells);
  REQUIRE(rows.size() == 2);
  for (const std::size_t i : {0, 1}) {
    CHECK(rows[i].operand == (i == 0 ? "a" : "b"));
    CHECK(rows[i].levels.at(0)->record.number(results::metric::cycles) == 75);
    CHECK(rows[i].levels.at(3)->record.operand == "a b");
  }
}

TEST_CASE("a comparison joins a table of one row an operand with one of merged rows, operand by operand") {
  // What older files are: nothing merges these rows.
  auto separate = table_of({mad("a")}), merged = table_of({mad("a"), mad("b"), mad("c")});
  const auto old_b = table_of({mad("b")});
  separate.cells.push_back(old_b.cells[0]);
  separate.cells.back().row = 1;
  const auto changed = table_of({mad("c", 3, 6)});
  separate.cells.push_back(changed.cells[0]);
  separate.cells.back().row = 2;

  const auto compared = compare_tables({&separate, {}, "old", {}}, {&merged, {}, "new", {}});
  CHECK(compared.unchanged.size() == 2);
  REQUIRE(compared.rows.size() == 1);
  CHECK(operand_list(compared.rows[0].operands) == "c");
  CHECK(headline_of(compared, compared.rows[0]).change() == -1);

  const auto slower = table_of({mad("a", 3, 7), mad("b", 3, 7), mad("c", 3, 7)});
  const auto of_merged = compare_tables({&merged, {}, "new", {}}, {&slower, {}, "slower", {}});
  REQUIRE(of_merged.rows.size() == 1);
  CHECK(operand_list(of_merged.rows[0].operands) == "a b c");

  const auto matrix = matrix_of({{&separate, {}, "old", {}}, {&merged, {}, "new", {}}, {&slower, {}, "slower", {}}});
  Texts operands;
  for (const auto& row : matrix.rows) operands.push_back(operand_list(row.operands));
  std::sort(operands.begin(), operands.end());
  CHECK(operands == Texts{"a", "b", "c"});
  for (const auto& row : matrix.rows) {
    CHECK(row.cells[1] == &merged.cells[0]);
    CHECK(row.steps.size() == (row.operands.front() == "c" ? 2 : 1));
  }
}

TEST_CASE("an operand that only one side has is a separate row") {
  const auto one = table_of({mad("a")}), both = table_of({mad("a"), mad("b")});
  const auto compared = compare_tables({&one, {}, "one", {}}, {&both, {}, "both", {}});
  CHECK(compared.unchanged.size() == 1);
  REQUIRE(compared.rows.size() == 1);
  CHECK(compared.rows[0].cause == Cause::only_in_b);
  CHECK(operand_list(compared.rows[0].operands) == "b");
}

TEST_CASE("the table that is printed while it grows has the same rows") {
  std::ostringstream out;
  LiveTable table(out, results::metric::cycles, {3}, {{"integer", 3}}, {"mad.lo.u32"});
  table.add({mad("c"), mad("a")});
  table.add({mad("b")});
  CHECK(out.str().find("mad.lo.u32  a b c    random") != std::string::npos);
  CHECK(out.str().find("mad.lo.u32") == out.str().rfind("mad.lo.u32"));
}
