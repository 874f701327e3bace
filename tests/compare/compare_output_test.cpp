// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "../tables/cells.h"
#include "catch.h"
#include "compare/compare_write.h"
#include "results/json.h"
#include "tables/overview.h"

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::tables;

namespace {

// Every cause once, in two tables.
struct EveryCause {
  Table a, b;

  EveryCause() {
    const auto with_issue = [](results::Record cell, double issue) {
      give(cell, results::metric::issue, issue);
      return cell;
    };
    results::Record slower = with_issue(cell_of("sad.u32", 3, 4, "VABSDIFF"), 2);
    give(slower, results::metric::cycles, 6);
    give(slower, results::metric::static_cycles, 6);
    give(slower, results::metric::differential, 6);
    slower.windows[0].sass[1].stall_count = 6;
    results::Record noisy = with_issue(cell_of("popc.b32", 3, 16, "POPC"), 4);
    give(noisy, results::metric::cycles, 18);
    give(noisy, results::metric::differential, 18);
    results::Record unsupported = cell_of("tanh.approx.f32", 3, 17, "MUFU.TANH");
    give(unsupported, results::metric::cycles, std::nullopt);
    give(unsupported, results::metric::differential, std::nullopt);
    give(unsupported, results::metric::static_cycles, std::nullopt);
    unsupported.verdict = sass::Verdict::unsupported;
    unsupported.note = "needs PTX 7.0\nand sm_75";
    results::Record barrier = cell_of("bar.sync", 3, 1, "BAR.SYNC");
    barrier.operand = barrier.input = "";
    give(barrier, results::metric::cycles, std::nullopt);
    give(barrier, results::metric::differential, std::nullopt);
    give(barrier, results::metric::static_cycles, std::nullopt);
    a = (table_of({with_issue(cell_of("add.u32", 3, 15, "IADD3"), 2),
                   with_issue(cell_of("sad.u32", 3, 4, "VABSDIFF"), 2),
                   with_issue(cell_of("popc.b32", 3, 16, "POPC"), 4), cell_of("tanh.approx.f32", 3, 17, "X"),
                   cell_of("old.u32", 3, 4, "OLD"), cell_of("same.u32", 3, 4, "S"), with_issue(barrier, 30)}));
    b = (table_of({with_issue(cell_of("add.u32", 3, 4, "IMAD.IADD"), 1), slower, noisy, unsupported,
                   cell_of("same.u32", 3, 4, "S"), with_issue(barrier, 19)}));
  }

  Side side_a() const { return {&a, std::nullopt, "11.8", "tables/a"}; }
  Side side_b() const { return {&b, std::nullopt, "13.0", "tables/b"}; }
};

std::string without_colours(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      plain += text[i];
    }
  }
  return plain;
}

}  // namespace

TEST_CASE("the text of a comparison says what changed, by how much and why") {
  const EveryCause tables;
  std::ostringstream out;
  write_page(out, compare_all({tables.side_a(), tables.side_b()}), {});
  CHECK(out.str() == golden("comparison.txt"));
}

TEST_CASE("a gain in issue cost alone is shown as one, whatever the verdict") {
  results::Record cell = cell_of("rem.u32", 3, 4, "LOP3.LUT");
  give(cell, results::metric::cycles, std::nullopt);
  give(cell, results::metric::differential, std::nullopt);
  give(cell, results::metric::static_cycles, std::nullopt);
  cell.verdict = sass::Verdict::elided;
  give(cell, results::metric::issue, 8);
  const Table a = (table_of({cell}));
  give(cell, results::metric::issue, 2);
  const Table b = (table_of({cell}));
  std::ostringstream out;
  write_page(out, compare_all({{&a, std::nullopt, "a", "a"}, {&b, std::nullopt, "b", "b"}}), {});
  CHECK_THAT(out.str(), Catch::Matchers::Contains("biggest gains: rem.u32 (random) (8) → (2)\n"));
}

TEST_CASE("colours change nothing but colours") {
  const EveryCause tables;
  const Group group = compare_all({tables.side_a(), tables.side_b(), tables.side_a()});
  std::ostringstream plain, coloured;
  write_page(plain, group, {});
  PageStyle options;
  options.in_colour = true;
  write_page(coloured, group, options);
  CHECK(plain.str().find('\x1b') == std::string::npos);
  CHECK(coloured.str().find("\x1b[32m-11 (×0.267)\x1b[0m") != std::string::npos);
  CHECK(coloured.str().find("\x1b[31m+2 (×1.5)\x1b[0m") != std::string::npos);
  CHECK(without_colours(coloured.str()) == plain.str());
}

TEST_CASE("the Markdown of a comparison has the code of both sides side by side") {
  const EveryCause tables;
  std::ostringstream out;
  write_page(out, compare_all({tables.side_a(), tables.side_b()}), {PageFormat::markdown, false, 100});
  CHECK(out.str() == golden("comparison.md"));
}

TEST_CASE("the csv of a comparison is byte for byte the contract's") {
  const EveryCause tables;
  std::ostringstream out;
  write_csv(out, {compare_all({tables.side_a(), tables.side_b()})});
  CHECK(out.str() == golden("comparison.csv"));
}

TEST_CASE("the JSON of a comparison has all that the contract names") {
  const EveryCause tables;
  std::ostringstream out;
  write_json(out, {compare_all({tables.side_a(), tables.side_b(), tables.side_a()})});
  const results::Json json = results::Json::parse(out.str());
  CHECK(json.at("format") == 1);
  REQUIRE(json.at("comparisons").size() == 2);
  const results::Json& first = json["comparisons"][0];
  CHECK(first.at("a").at("label") == "11.8");
  CHECK(first.at("b").at("folder") == "tables/b");
  CHECK(first.at("b").at("toolchain") == "driver-580.159.04");
  CHECK(first.at("numbers") == "cycles");
  const results::Json& summary = first.at("summary");
  CHECK(summary.at("compared") == 6);
  CHECK(summary.at("unchanged") == 1);
  CHECK(summary.at("causes").at("other_sass") == 1);
  CHECK(summary.at("chapters").at("integer").at("compared") == 6);
  CHECK(summary.at("gains").at(0).at("ptx") == "add.u32");
  CHECK(summary.at("losses").at(0).at("b") == 6);
  const results::Json& row = first.at("rows").at(0);
  CHECK(row.at("ptx") == "add.u32");
  CHECK(row.at("cause") == "other_sass");
  CHECK(row.at("change") == -11);
  CHECK(row.at("window") == "differential");
  CHECK(row.at("a").at("cycles") == 15);
  CHECK(row.at("b").at("issue") == 1);
  CHECK(row.at("b").at("code").at(1) == "S4 | IMAD.IADD R4, R5, R6");
  CHECK(first.at("rows").back().at("b").is_null());
  const results::Json& matrix = json.at("matrices").at(0);
  CHECK(matrix.at("tables").size() == 3);
  CHECK(matrix.at("rows").at(0).at("cells").at(1).at("cycles") == 4);
  CHECK(matrix.at("rows").at(0).at("steps").at(1).at("table") == 2);
}

TEST_CASE("three tables are compared with the first, and the matrix says from which one on") {
  const EveryCause tables;
  std::ostringstream out;
  Side third = tables.side_b();
  third.label = "13.1";
  write_page(out, compare_all({tables.side_a(), tables.side_b(), third}), {});
  const std::string text = out.str();
  CAPTURE(text);
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  CHECK(has("Changes from table to table (each compared with the previous one)\n"));
  CHECK(
      has("13.0: 1 different SASS, 1 different schedule, 2 same code, 1 different verdict, 1 only in A\n13.1: no "
          "change\n"));
  CHECK(has("ptx              operand  input   opt  11.8         13.0         13.1  changes from\n"));
  CHECK(has("add.u32          a        random  O3     15            4            4  13.0: different SASS\n"));
  CHECK(has("old.u32          a        random  O3      4            -            -  13.0: gone\n"));
  std::ostringstream markdown;
  write_page(markdown, compare_all({tables.side_a(), tables.side_b(), third}), {PageFormat::markdown, false, 1});
  CHECK(markdown.str().find("| `add.u32` | a | random | O3 | 15 | 4 | 4 | 13.0: different SASS |\n\n… 5 more rows\n") !=
        std::string::npos);
}

TEST_CASE("a list can be cut, and says so") {
  const EveryCause tables;
  std::ostringstream out;
  PageStyle options;
  options.most_rows = 2;
  write_page(out, compare_all({tables.side_a(), tables.side_b()}), options);
  CHECK(out.str().find("… 4 more rows\n") != std::string::npos);
  CHECK(out.str().find("only in A  ") == std::string::npos);
}

TEST_CASE("tables without rows are compared without rows") {
  const Table empty = (table_of({}));
  const Group group = compare_all({{&empty, std::nullopt, "a", "a"}, {&empty, std::nullopt, "b", "b"}});
  std::ostringstream text, markdown, csv, json;
  write_page(text, group, {});
  write_page(markdown, group, {PageFormat::markdown, false, 10});
  write_csv(csv, {group});
  write_json(json, {group});
  CHECK(text.str().find("0 rows compared, 0 unchanged\n") != std::string::npos);
  CHECK(markdown.str().find('|') == std::string::npos);
  CHECK(csv.str().find('\n') == csv.str().size() - 1);
  CHECK(results::Json::parse(json.str()).at("comparisons").at(0).at("rows").empty());
}

TEST_CASE("what compilers emit all the time ranks before what hardly any program has") {
  const std::vector<std::string> order = {"add.s32", "max.s16", "bfe.u32", "div.rp.f64", "getctarank.u32"};
  for (std::size_t i = 1; i < order.size(); ++i) {
    INFO(order[i - 1] << " before " << order[i]);
    CHECK(commonness_of(cell_of(order[i - 1], 3, 4, "X")) > commonness_of(cell_of(order[i], 3, 4, "X")));
  }
}

TEST_CASE("every metric that is compared has its columns in csv and JSON, and counts as a change") {
  for (const results::MetricKind& kind : results::metric_kinds()) {
    if (!kind.use.is_compared) continue;
    INFO(kind.tag);
    const std::string tag(kind.tag);
    results::Record cell = cell_of("add.u32", 3, 4, "IADD3");
    give(cell, kind.tag, 2);
    const Table a = table_of({cell});
    give(cell, kind.tag, 6.5);
    const Table b = table_of({cell});
    const Group group = compare_all({{&a, std::nullopt, "a", "a"}, {&b, std::nullopt, "b", "b"}});
    REQUIRE(group.comparisons[0].rows.size() == 1);
    CHECK(has_changed(group.comparisons[0], 4));
    std::ostringstream csv, json, text;
    write_csv(csv, {group});
    write_json(json, {group});
    write_page(text, group, {});
    CHECK_THAT(csv.str(), Catch::Matchers::Contains("," + tag + "_a," + tag + "_b,"));
    CHECK_THAT(csv.str(), Catch::Matchers::Contains(",2,6.5,"));
    CHECK(results::Json::parse(json.str())["comparisons"][0]["rows"][0]["b"].at(tag) == 6.5);
    CHECK_THAT(text.str(), Catch::Matchers::Contains("2 → 6.5"));
  }
}
