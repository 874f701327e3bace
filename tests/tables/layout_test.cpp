// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "base/error.h"
#include "catch.h"
#include "cells.h"
#include "sass/instruction.h"
#include "tables/latency_columns.h"
#include "tables/number.h"
#include "tables/rows.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

// The rows a reader of a table meets: proven, fused at one level, rejected everywhere, many opcodes, a missing level,
// nothing that could depend on it.
std::vector<results::Record> few_rows() {
  std::vector<results::Record> cells = {cell_of("add.u32", 0, 15, "IADD3"), cell_of("add.u32", 3, 4, "IADD3")};
  give(cells[1], results::metric::bracket, 2.5);
  give(cells[1], results::metric::overhead, 2);
  give(cells[1], results::metric::chain, 4);
  give(cells[0], results::metric::issue, 15);
  give(cells[1], results::metric::issue, 1.5);
  for (results::Record& add : cells) {
    add.measure = results::Measure::dependent;
    add.consumer = "xor.b32";
  }

  results::Record fused = cell_of("min.u32", 3, 4, "VIMNMX3");
  give(fused, results::metric::cycles, std::nullopt);
  give(fused, results::metric::differential, std::nullopt);
  give(fused, results::metric::static_cycles, std::nullopt);
  fused.verdict = sass::Verdict::fused;
  fused.note = "2 steps became one VIMNMX3, \"merged\"";
  cells.push_back(cell_of("min.u32", 0, 15, "VIMNMX"));
  cells.push_back(fused);

  results::Record division = cell_of("div.s32", 3, 65, "I2F.RP");
  division.input = "power of two";
  division.sass = {"I2F.RP", "MUFU.RCP", "IADD3", "IADD3", "IADD3", "F2I.FTZ.U32.TRUNC.NTZ", "IMAD.HI.U32"};
  division.sass_count = 7;
  division.windows[0].static_is_lower_bound = true;
  cells.push_back(division);

  for (const int level : {0, 3}) {
    results::Record rejected;
    rejected.ptx = "add.bf16";
    rejected.chapter = "half";
    rejected.operand = "a|b";
    rejected.level = level;
    rejected.verdict = sass::Verdict::rejected;
    rejected.note = "ptxas line 12: not supported\nsecond line";
    cells.push_back(rejected);
  }

  for (const int level : {0, 3}) {
    results::Record barrier = cell_of("bar.sync", level, 1, "BAR.SYNC");
    barrier.chapter = "barriers";
    give(barrier, results::metric::cycles, std::nullopt);
    give(barrier, results::metric::differential, std::nullopt);
    give(barrier, results::metric::static_cycles, std::nullopt);
    give(barrier, results::metric::issue, level == 0 ? 30 : 19);
    barrier.measure = results::Measure::issue_only;
    barrier.note = "nothing can depend on it: only its issue cost is measured";
    cells.push_back(barrier);
  }
  return cells;
}

}  // namespace

TEST_CASE("the csv of a few rows is byte for byte the contract's") {
  std::ostringstream out;
  write_csv(out, table_of(few_rows()));
  CHECK(out.str() == golden("few_rows.csv"));
}

TEST_CASE("the Markdown of a few rows has the levels side by side and a verdict if there is no number") {
  Table table = table_of(few_rows());
  table.run.device = gpu::DeviceInfo{0, "NVIDIA H200", "GPU-1", 90, 132, 1980000, 3201000, "580.159.04", 13000};
  std::ostringstream out;
  write_markdown(out, table);
  CHECK(out.str() == golden("few_rows.md"));
}

TEST_CASE("the terminal's table is aligned and says which rows have no number") {
  std::ostringstream out;
  write_text(out, table_of(few_rows()));
  CHECK(out.str() == golden("few_rows.txt"));
}

TEST_CASE("a static table shows the schedule's numbers and marks lower bounds") {
  std::vector<results::Record> records = few_rows();
  for (results::Record& record : records) {
    for (const auto tag : {results::metric::cycles, results::metric::issue, results::metric::differential})
      record.set(tag, std::nullopt);
    if (record.metrics.empty()) record.measure.reset();
  }
  std::ostringstream out;
  write_text(out, table_of(records, "static"));
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

TEST_CASE("opcodes are read after a predicate and shortened when they repeat") {
  CHECK(sass::opcode_of("@!P0 IADD3.X R0, R2") == "IADD3.X");
  CHECK(sass::opcode_of("NOP") == "NOP");
  CHECK(sass::opcode_of("EXIT ;") == "EXIT");
  CHECK(sass::opcode_of("").empty());
  CHECK(sass::opcode_of("@P0").empty());
  CHECK(brief_opcodes({}, 20).empty());
  CHECK(brief_opcodes({"IMAD", "IMAD", "IADD3"}, 20) == "IMAD×2;IADD3");
  CHECK(brief_opcodes({"A", "B", "C", "C"}, 3) == "A;B;…+2");
}

TEST_CASE("a csv gives the metrics that its header names, whatever their order, and no others") {
  const auto read = [](const std::string& metrics, const std::string& values) {
    std::istringstream in("ptx,chapter,operand,input,opt," + metrics + "sass,sass_count,verdict,note\nadd.u32,,a,,O3," +
                          values + "IADD3,1,proven,\n");
    return read_rows(in, "latency.csv", latency_columns()).at(0).record;
  };
  CHECK(read("", "").metrics.empty());
  const results::Record some = read("issue,cycles,", "2,4,");
  CHECK(some.number(results::metric::issue) == 2);
  CHECK(some.number(results::metric::cycles) == 4);
  CHECK(some.metrics.size() == 2);
  for (const results::MetricKind& kind : results::metric_kinds()) {
    if (kind.use.is_column) CHECK(read(std::string(kind.tag) + ",", "6.5,").number(kind.tag) == 6.5);
  }
  CHECK_THROWS_WITH(read("cycles,cycles,", "4,4,"), "latency.csv:1: the column cycles appears twice");
  CHECK_THROWS_WITH(read("clocks,", "4,"), Catch::Matchers::Contains("latency.csv:1: the column clocks is not one of"));
}

TEST_CASE("every metric that is a column stands in the csv, and every one that is shown in text and Markdown") {
  results::Record record = cell_of("add.u32", 3, 4, "IADD3");
  double value = 1000;
  for (const results::MetricKind& kind : results::metric_kinds()) give(record, kind.tag, value += 1);
  record.set(results::metric::far_cycles, std::nullopt);  // it would be two rows
  const Table table = table_of({record});
  std::ostringstream csv, text, markdown;
  write_csv(csv, table);
  write_text(text, table);
  write_markdown(markdown, table);
  for (const results::MetricKind& kind : results::metric_kinds()) {
    if (kind.tag == results::metric::far_cycles) continue;
    INFO(kind.tag);
    const std::string number = decimal(record.number(kind.tag));
    CHECK((csv.str().find(number) != std::string::npos) == kind.use.is_column);
    const bool is_seen = kind.use.is_shown || kind.tag == results::metric::cycles;
    CHECK((text.str().find(number) != std::string::npos) == is_seen);
    CHECK((markdown.str().find(number) != std::string::npos) == is_seen);
  }
}

TEST_CASE("estimates are columns of tables that have one") {
  auto table = table_of(few_rows());
  const auto header = [&] {
    std::ostringstream out;
    write_csv(out, table);
    return out.str().substr(0, out.str().find('\n'));
  };
  CHECK(header().find("estimate") == std::string::npos);
  table.cells.front().leads = true;
  table.cells.front().record.set(results::metric::estimate, 17);
  CHECK(header().find(",static,estimate,estimate_error,") != std::string::npos);
}

TEST_CASE("a damaged csv is rejected with its line") {
  std::ostringstream out;
  write_csv(out, table_of(few_rows()));
  const std::string good = out.str();
  const auto message = [](const std::string& csv) -> std::string {
    std::istringstream in(csv);
    try {
      read_rows(in, "latency.csv", latency_columns());
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
  const auto columns = fmt::format("{}", fmt::join(names_of(latency_columns()), ","));
  CHECK(message("") == "latency.csv:1: the column ptx is missing: the columns are " + columns);
  CHECK(message(replaced("cycles", "clocks")).find("csv:1: ") != std::string::npos);
  CHECK(message(replaced("O3,4,", "O3,four,")).find("csv:3: not a number: four") != std::string::npos);
  for (const char* number : {"nan", "inf", "-inf", "1e999"}) {
    CHECK(message(replaced("O3,4,", std::string("O3,") + number + ",")).find("not a number: ") != std::string::npos);
  }
  CHECK(message(replaced("O3,4,", "O3," + std::string(1000, '9') + ",")).size() < 100);
  CHECK(message(replaced("O3", "O5")).find("csv:3: not a level such as O3: O5") != std::string::npos);
  CHECK(message(replaced("O3", "3")).find("csv:3: not a level such as O3: 3") != std::string::npos);
  CHECK(message(replaced("proven", "sure")).find("csv:2: unknown verdict: sure") != std::string::npos);
  CHECK(message(replaced("dependent", "guess")).find("csv:2: unknown measure: guess") != std::string::npos);
  CHECK(message(replaced("integer,a,", "integer,")).find("csv:2: 22 fields instead of 23") != std::string::npos);
  CHECK(message(replaced("consumer,issue,", "consumer,")).find("csv:2: 23 fields instead of 22") != std::string::npos);
  CHECK(message(good.substr(0, good.find("second line"))).find("a quote is not closed") != std::string::npos);
}
