#include "report/outline.h"

#include <fstream>

#include "../results/random_record.h"
#include "../results/test_folder.h"
#include "catch.h"
#include "error.h"
#include "report/code_change.h"
#include "report/json_scanner.h"
#include "results/json.h"

using namespace ptxlat;

namespace {

// Random cells whose windows have the roles that are compared, among others.
Table random_table(unsigned seed, int count) {
  RandomRecords random(seed);
  Table table;
  table.provenance.table = "t";
  table.provenance.kind = "measured";
  const char* roles[] = {"chain", "stream twice", "differential", "completion", "overhead", "differential base"};
  for (int i = 0; i < count; ++i) {
    CellRecord cell = random.cell();
    for (std::size_t w = 0; w < cell.windows.size(); ++w) cell.windows[w].role = roles[(w + i) % std::size(roles)];
    table.cells.push_back(std::move(cell));
  }
  return table;
}

bool is_compared(const WindowRecord& window) { return window.role != "completion" && window.role != "overhead"; }

void check_equal(const CellOutline& outline, const CellRecord& cell) {
  CellRecord columns = cell;
  columns.windows.clear();
  columns.consumer.clear();
  columns.recipe.clear();
  columns.elapsed_ns = 0;
  CHECK(outline.columns == columns);
  std::size_t next = 0;
  for (const WindowRecord& window : cell.windows) {
    if (!is_compared(window)) continue;
    REQUIRE(next < outline.windows.size());
    CHECK(outline.windows[next].role == window.role);
    CHECK(outline.windows[next].verdict == window.verdict);
    CHECK(outline.windows[next].static_is_lower_bound == window.static_is_lower_bound);
    CHECK(code_lines(outline.windows[next].code) == sass_lines(window.sass));
    ++next;
  }
  CHECK(outline.windows.size() == next);
}

}  // namespace

TEST_CASE("an outline has what the table has, as far as comparing needs it") {
  const TestFolder folder;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Table table = random_table(seed, 60);
    write_table(folder.path, table);
    const Outline read = read_outline(folder.path / "t"), made = outline_of(table);
    REQUIRE(read.cells.size() == table.cells.size());
    REQUIRE(made.cells.size() == table.cells.size());
    for (std::size_t i = 0; i < table.cells.size(); ++i) {
      check_equal(read.cells[i], table.cells[i]);
      check_equal(made.cells[i], table.cells[i]);
    }
    CHECK(to_json(read.provenance) == to_json(table.provenance));
  }
}

TEST_CASE("a csv alone gives an outline without windows") {
  const TestFolder folder;
  const Table table = random_table(3, 40);
  write_table(folder.path, table);
  std::filesystem::remove(folder.path / "t/run.json");
  const Outline outline = read_outline(folder.path / "t");
  REQUIRE(outline.cells.size() == 40);
  for (std::size_t i = 0; i < 40; ++i) {
    CHECK(outline.cells[i].columns.cycles == table.cells[i].cycles);
    CHECK(outline.cells[i].windows.empty());
  }
}

TEST_CASE("a damaged table is no outline either") {
  const TestFolder folder;
  write_table(folder.path, random_table(4, 20));
  CHECK_THROWS_AS(read_outline(folder.path), Error);
  std::ofstream(folder.path / "t/latency.jsonl.gz", std::ios::app) << "x";
  CHECK_THROWS_AS(read_outline(folder.path / "t"), Error);
}

TEST_CASE("a cell that is there twice is damage, in rows with machine code and in a csv") {
  const TestFolder folder;
  Table table = random_table(4, 20);
  table.cells.push_back(table.cells.front());
  table.cells.back().cycles = 1;
  for (const Extent extent : {Extent::whole, Extent::brief}) {
    write_table(folder.path, table, extent);
    CHECK_THROWS_WITH(read_outline(folder.path / "t"), Catch::Contains("is there twice"));
  }
}

TEST_CASE("JSON is scanned as it is parsed") {
  RandomRecords random(5);
  for (int i = 0; i < 300; ++i) {
    const Json json = to_json(random.cell());
    const std::string text = i % 2 ? to_line(json) : json.dump(1);
    JsonScanner whole(text);
    CHECK(Json::parse(whole.raw()) == json);
    whole.end();
    JsonScanner scanner(text);
    int members = 0;
    scanner.object([&](std::string_view key) {
      CHECK(Json::parse(scanner.raw()) == json.at(std::string(key)));
      ++members;
    });
    scanner.end();
    CHECK(members == static_cast<int>(json.size()));
  }
}

TEST_CASE("values are taken for what they are") {
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

TEST_CASE("what is no JSON of the shape asked for is refused wherever it ends") {
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
}
