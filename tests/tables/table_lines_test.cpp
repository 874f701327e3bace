// SPDX-License-Identifier: Apache-2.0
#include "../results/random_record.h"
#include "../results/test_folder.h"
#include "base/error.h"
#include "catch.h"
#include "cells.h"
#include "compare/code_change.h"
#include "results/json.h"
#include "results/json_scanner.h"
#include "results/sass_text.h"
#include "tables/folder.h"

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::tables;
using results::JsonScanner;

namespace {

// Random records whose windows have the roles of an experiment.
std::vector<results::Record> random_rows(unsigned seed, int count) {
  RandomRecords random(seed);
  std::vector<results::Record> records;
  const char* roles[] = {"chain", "stream twice", "differential", "completion", "overhead", "differential base"};
  for (int i = 0; i < count; ++i) {
    results::Record record = random.cell();
    // Of a form that the target does not have the files keep nothing but its name.
    if (record.verdict == sass::Verdict::unsupported) record.verdict = sass::Verdict::elided;
    for (std::size_t w = 0; w < record.windows.size(); ++w) record.windows[w].role = roles[(w + i) % std::size(roles)];
    records.push_back(std::move(record));
  }
  return records;
}

void check_equal(const Cell& cell, const results::Record& record) {
  results::Record columns = record;
  columns.windows.clear();
  columns.recipe.clear();
  columns.code_of_level = -1;
  CHECK(cell.record == columns);
  REQUIRE(cell.windows.size() == record.windows.size());
  for (std::size_t i = 0; i < record.windows.size(); ++i) {
    CHECK(cell.windows[i].role == record.windows[i].role);
    CHECK(cell.windows[i].verdict == record.windows[i].verdict);
    CHECK(cell.windows[i].static_is_lower_bound == record.windows[i].static_is_lower_bound);
    CHECK(code_lines(cell.windows[i].code) == results::sass_lines(record.windows[i].sass));
  }
  CHECK(cell.static_is_lower_bound == cell_from(record).static_is_lower_bound);
}

}  // namespace

TEST_CASE("a cell has what its record has, as far as reports need it, and its line the rest") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const std::vector<results::Record> records = random_rows(seed, 60);
    const Table table = table_of(records);
    REQUIRE(table.cells.size() == records.size());
    for (std::size_t i = 0; i < records.size(); ++i) check_equal(table.cells[i], records[i]);
    CHECK(records_of(table) == records);
    const Cell& one = table.cells[7];
    CHECK(whole_records(table, {&one}) == std::vector{records[7]});
  }
}

TEST_CASE("the windows of a metric are those behind it") {
  results::Record record;
  record.ptx = "add.u32";
  for (const char* role : {"overhead", "chain", "chain twice", "stream"})
    record.windows.push_back(window_of(role, {}, {}));
  record.windows[1].static_is_lower_bound = true;
  record.set(results::metric::cycles, 4, {"chain", "chain twice"});
  record.set(results::metric::static_cycles, 4, {"differential", "overhead"});
  const auto roles = [](const Table& table, std::string_view tag) {
    std::vector<std::string> list;
    for (const CellWindow* window : windows_of(table.cells[0], tag)) list.emplace_back(window->role);
    return list;
  };
  Table table = table_of({record});
  CHECK(roles(table, results::metric::cycles) == std::vector<std::string>{"chain", "chain twice"});
  CHECK(roles(table, results::metric::static_cycles) == std::vector<std::string>{"overhead"});
  CHECK(roles(table, results::metric::issue).empty());
  CHECK_FALSE(table.cells[0].static_is_lower_bound);
  record.set(results::metric::static_cycles, 4, {"chain", "chain twice"});
  CHECK(table_of({record}).cells[0].static_is_lower_bound);
}

TEST_CASE("a cell that is there twice is damage, in rows with machine code and in a csv") {
  const TestFolder folder;
  std::vector<results::Record> records = random_rows(4, 20);
  records.push_back(records.front());
  records.back().note = "again";
  const Table table = table_of(records);
  for (const TableDetail detail : {TableDetail::everything, TableDetail::columns_only}) {
    write_table(folder.path, table, detail);
    CHECK_THROWS_WITH(read_table(folder.path / table.run.table), Catch::Matchers::Contains("appears twice"));
  }
}

TEST_CASE("JSON is scanned as it is parsed") {
  RandomRecords random(5);
  for (int i = 0; i < 300; ++i) {
    const results::Json json = results::to_json(random.cell());
    const std::string text = i % 2 ? results::to_line(json) : json.dump(1);
    JsonScanner whole(text);
    CHECK(results::Json::parse(whole.raw()) == json);
    whole.end();
    JsonScanner scanner(text);
    int members = 0;
    scanner.object([&](std::string_view key) {
      CHECK(results::Json::parse(scanner.raw()) == json.at(std::string(key)));
      ++members;
    });
    scanner.end();
    CHECK(members == static_cast<int>(json.size()));
  }
}

TEST_CASE("values are read with their types") {
  JsonScanner json(R"( {"a" : [ 1, -2.5e3, null ], "b": "x\"\\\u00e9\n", "c": true, "d": {}, "e": [] } )");
  std::vector<std::optional<double>> numbers;
  std::string text;
  bool flag = false;
  int members = 0;
  json.object([&](std::string_view key) {
    ++members;
    if (key == "a") json.array([&] { numbers.push_back(json.number_or_null()); });
    if (key == "b") text = json.string();
    if (key == "c") flag = json.boolean();
    if (key == "d") json.object([](std::string_view) {});
    if (key == "e") json.array([] {});
  });
  json.end();
  CHECK(members == 5);
  CHECK(numbers == std::vector<std::optional<double>>{1, -2500, std::nullopt});
  CHECK(text == "x\"\\é\n");
  CHECK(flag);
}

TEST_CASE("JSON of an unexpected shape is rejected wherever it ends") {
  const std::string good = R"({"a":[1,{"b":"]}"}],"c":"d\"e"})";
  for (std::size_t size = 0; size < good.size(); ++size) {
    JsonScanner json(std::string_view(good).substr(0, size));
    CHECK_THROWS_AS(json.raw(), std::invalid_argument);
  }
  for (const char* bad : {"", "}", ",", "]", "  "}) {
    JsonScanner json(bad);
    CHECK_THROWS_AS(json.raw(), std::invalid_argument);
  }
  for (const char* bad : {"inf", "nan", "-inf", "1e999"}) {
    JsonScanner number(bad);
    CHECK_THROWS_AS(number.number(), std::invalid_argument);
  }
  for (const char* bad : {"1.5", "1e300", "-3000000000"}) {
    JsonScanner integer(bad);
    CHECK_THROWS_AS(integer.integer(), std::invalid_argument);
  }
  JsonScanner number("\"1\""), string("1"), boolean("1"), array("{}"), object("[]"), rest("1 2"), escape("\"\\q\"");
  CHECK_THROWS_AS(number.number(), std::invalid_argument);
  CHECK_THROWS_AS(string.string(), std::invalid_argument);
  CHECK_THROWS_AS(boolean.boolean(), std::invalid_argument);
  CHECK_THROWS_AS(array.array([] {}), std::invalid_argument);
  CHECK_THROWS_AS(object.object([](std::string_view) {}), std::invalid_argument);
  CHECK(rest.number() == 1);
  CHECK_THROWS_AS(rest.end(), std::invalid_argument);
  CHECK_THROWS_AS(escape.string(), std::invalid_argument);
  JsonScanner plain(R"("chain twice")"), escaped(R"("a\n")");
  CHECK(plain.plain_string() == "chain twice");
  CHECK_THROWS_AS(escaped.plain_string(), std::invalid_argument);
}
