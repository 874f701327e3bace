// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <set>
#include <sstream>

#include "../results/random_record.h"
#include "../results/test_folder.h"
#include "base/error.h"
#include "catch.h"
#include "cells.h"
#include "results/json.h"
#include "tables/compression.h"
#include "tables/folder.h"
#include "tables/latency_columns.h"
#include "text.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

std::vector<results::Record> random_records(unsigned seed, int count) {
  RandomRecords random(seed);
  std::vector<results::Record> records;
  for (int i = 0; i < count; ++i) {
    records.push_back(random.cell());
    // Of a form that the target does not have the files keep nothing but its name.
    if (records.back().verdict == sass::Verdict::unsupported) records.back().verdict = sass::Verdict::elided;
  }
  return records;
}

Table random_table(unsigned seed, int count) { return table_of(random_records(seed, count)); }

// What a csv has of a record.
results::Record columns_of(const results::Record& record) {
  results::Record columns = record;
  columns.windows.clear();
  columns.flags.clear();
  columns.differential_consumer.clear();
  columns.recipe.clear();
  columns.code_of_level = -1;
  columns.metrics.clear();
  for (const results::MetricKind& kind : results::metric_kinds()) {
    if (kind.use.is_column) columns.set(kind.tag, record.number(kind.tag));
  }
  return columns;
}

ExitCode exit_code_of_reading(const std::filesystem::path& folder) {
  try {
    read_table(folder);
  } catch (const Error& error) {
    CHECK_FALSE(error.advice.empty());
    CHECK(std::string(error.what()).find(folder.string()) != std::string::npos);
    return error.exit_code;
  }
  return ExitCode::success;
}

}  // namespace

TEST_CASE("a table is read back as it was written") {
  const TestFolder folder;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<results::Record> records = random_records(seed, 50);
    const Table table = table_of(records);
    write_table(folder.path, table);
    const Table back = read_table(folder.path / table.run.table);
    REQUIRE(records_of(back) == records);
    REQUIRE(results::to_json(back.run) == results::to_json(table.run));
    CHECK(back.runs.empty());
  }
}

TEST_CASE("a table of several runs says which cell is of which") {
  const TestFolder folder;
  std::vector<results::Record> records = random_records(3, 4);
  std::vector<results::Run> runs = {run_of(), run_of()};
  for (int i = 0; i < 2; ++i) {
    runs[i].id = 5 + i;
    runs[i].launches = 9 + i;
    records[i].run = runs[i].id;
  }
  write_table(folder.path, table_from(runs[1], runs, records));
  const Table back = read_table(folder.path / runs[1].table);
  CHECK(back.run.id == 6);
  REQUIRE(back.runs.size() == 2);
  CHECK(back.runs[0].launches == 9);
  CHECK(back.cells[0].record.run == 5);
  CHECK(back.cells[1].record.run == 6);
  CHECK(records_of(back) == records);
}

TEST_CASE("equal tables are equal bytes, and nothing but the five files is left") {
  const TestFolder a, b;
  const Table table = random_table(3, 100);
  write_table(a.path, table);
  write_table(a.path, table);
  write_table(b.path, table);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(a.path / table.run.table)) {
    ++files;
    CHECK(content_of(entry.path()) == content_of(b.path / table.run.table / entry.path().filename()));
  }
  CHECK(files == 5);
}

TEST_CASE("an empty table can be written and read") {
  const TestFolder folder;
  const Table table = random_table(0, 0);
  write_table(folder.path, table);
  CHECK(read_table(folder.path / table.run.table).cells.empty());
}

TEST_CASE("a window that several cells share is written once") {
  const TestFolder folder;
  results::Record cell;
  cell.ptx = "popc.b32";
  cell.windows.resize(1);
  cell.windows[0].role = "overhead";
  std::mt19937 noise(7);  // text that gzip alone cannot shrink
  for (int i = 0; i < 1000; ++i) cell.windows[0].sass.push_back({i * 16, "OP " + std::to_string(noise())});
  std::vector<results::Record> records = {cell};
  write_table(folder.path, table_of(records));
  const auto file = folder.path / run_of().table / "latency.jsonl.zst";
  const auto size_of_one = std::filesystem::file_size(file);
  for (results::SassRecord& instruction : cell.windows[0].sass) instruction.offset += 0x240;  // elsewhere in its kernel
  for (int i = 0; i < 200; ++i) {
    cell.input = std::to_string(i);
    records.push_back(cell);
  }
  write_table(folder.path, table_of(records));
  CHECK(std::filesystem::file_size(file) < size_of_one * 6 / 5);
  CHECK(records_of(read_table(file.parent_path())) == records);
}

TEST_CASE("a damaged table is reported as damaged, never read in part") {
  const TestFolder folder;
  const Table table = random_table(5, 40);
  write_table(folder.path, table);
  const auto place = folder.path / table.run.table;
  const std::string jsonl = content_of(place / "latency.jsonl.zst");
  const std::string run = content_of(place / "run.json");

  SECTION("truncated anywhere") {
    for (std::size_t size = 0; size < jsonl.size(); size += 1 + jsonl.size() / 97) {
      overwrite(place / "latency.jsonl.zst", jsonl.substr(0, size));
      REQUIRE(exit_code_of_reading(place) == ExitCode::storage);
    }
  }
  SECTION("altered anywhere") {
    for (std::size_t at = 10; at < jsonl.size(); at += 1 + jsonl.size() / 97) {  // the first ten bytes are the header
      std::string altered = jsonl;
      altered[at] = static_cast<char>(altered[at] ^ 0x10);
      overwrite(place / "latency.jsonl.zst", altered);
      REQUIRE(exit_code_of_reading(place) == ExitCode::storage);
    }
  }
  SECTION("something behind the end") {
    overwrite(place / "latency.jsonl.zst", jsonl + "x");
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("the rows of another table") {
    write_table(folder.path, random_table(6, 40));
    overwrite(place / "run.json", run);
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("a csv with other rows than those with machine code") {
    overwrite(place / "latency.csv", content_of(place / "latency.csv") + "one,more\n");
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("a checksum that is not text") {
    std::string number = run;
    const std::size_t begin = number.find('"', number.find("jsonl_crc32") + 12);
    overwrite(place / "run.json", number.replace(begin, 10, "12345678"));
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("neither measured nor static") {
    std::string other = run;
    overwrite(place / "run.json", other.replace(other.find("measured"), 8, "imagined"));
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("run.json is truncated or of another shape") {
    for (const std::string& content : {std::string(), run.substr(0, run.size() / 2), std::string("[]"),
                                       std::string("{}"), std::string(R"({"format":"1"})")}) {
      overwrite(place / "run.json", content);
      CHECK(exit_code_of_reading(place) == ExitCode::storage);
    }
  }
  SECTION("another format") {
    for (const char* format : {"\"format\": 1", "\"format\": 5"}) {
      std::string other = run;
      other.replace(other.find("\"format\": 4"), 11, format);
      overwrite(place / "run.json", other);
      CHECK(exit_code_of_reading(place) == ExitCode::storage);
    }
  }
  SECTION("a file is missing") {
    std::filesystem::remove(place / "forms.csv.gz");
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("the forms of another table") {
    const TestFolder other;
    write_table(other.path, random_table(6, 40));
    overwrite(place / "forms.csv.gz", content_of(other.path / table.run.table / "forms.csv.gz"));
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
}

TEST_CASE("a whole table without its csv, or from before the csv had a checksum, is read") {
  const TestFolder folder;
  const Table table = random_table(5, 40);
  write_table(folder.path, table);
  const auto place = folder.path / table.run.table;
  std::filesystem::remove(place / "latency.csv");
  CHECK(*read_table(place).lines == *table.lines);
  results::Json run = results::Json::parse(content_of(place / "run.json"));
  run.erase("csv_crc32");
  overwrite(place / "run.json", run.dump());
  CHECK(*read_table(place).lines == *table.lines);
}

TEST_CASE("a csv has the measure and the consumer of each number; without these columns they are empty") {
  results::Record store = cell_of("st.u32", 3, 12, "STS");
  store.measure = results::Measure::round_trip;
  store.consumer = "ld.volatile.shared.b32";
  std::ostringstream out;
  write_csv(out, table_of({store}));
  CHECK(out.str() ==
        "ptx,chapter,operand,input,opt,levels,cycles,measure,consumer,issue,bracket,overhead,differential,chain,static,"
        "min,median,p95,max,sass,sass_count,verdict,note\n"
        "st.u32,integer,a,random,O3,O3,12,round trip,ld.volatile.shared.b32,,,,12,,12,,,,,STS,1,proven,\n");
  std::istringstream now(out.str());
  CHECK(read_rows(now, "now.csv", latency_columns()).at(0).record == columns_of(store));
  std::istringstream before(
      "ptx,chapter,operand,input,opt,cycles,sass,sass_count,verdict,note\n"
      "st.u32,integer,a,random,O3,12,STS,1,proven,\n");
  const auto read = read_rows(before, "before.csv", latency_columns()).at(0).record;
  CHECK(read.number(results::metric::cycles) == 12);
  CHECK_FALSE(read.measure);
  CHECK(read.consumer.empty());
  std::istringstream wrong(
      "ptx,chapter,operand,input,opt,measure,sass,sass_count,verdict,note\n"
      "st.u32,integer,a,random,O3,guess,STS,1,proven,\n");
  CHECK_THROWS_WITH(read_rows(wrong, "wrong.csv", latency_columns()), "wrong.csv:2: unknown measure: guess");
}

TEST_CASE("a folder that is not a table is an unknown name") {
  const TestFolder folder;
  CHECK(exit_code_of_reading(folder.path) == ExitCode::unknown_name);
  CHECK(exit_code_of_reading(folder.path / "nothing") == ExitCode::unknown_name);
}

TEST_CASE("a csv alone is enough for the columns") {
  const TestFolder folder;
  const std::vector<results::Record> records = random_records(8, 60);
  write_table(folder.path, table_of(records));
  const auto place = folder.path / run_of().table;
  std::filesystem::remove(place / "run.json");
  const std::vector<results::Record> back = records_of(read_table(place));
  REQUIRE(back.size() == records.size());
  for (std::size_t i = 0; i < records.size(); ++i) CHECK(back[i] == columns_of(records[i]));
}

TEST_CASE("a table that lost its run still has the spellings that share a row") {
  const TestFolder folder;
  const Table table = random_table(3, 30);
  REQUIRE(!table.spellings.empty());
  write_table(folder.path, table);
  const auto place = folder.path / table.run.table;
  std::filesystem::remove(place / "run.json");
  CHECK(read_table(place).spellings == table.spellings);
  std::filesystem::remove(place / "forms.csv.gz");
  CHECK(read_table(place).spellings.empty());
}

TEST_CASE("a csv may be compressed, and is removed when the table is written again") {
  const TestFolder folder;
  const Table table = random_table(3, 30);
  write_table(folder.path, table, TableDetail::columns_only);
  const auto place = folder.path / table.run.table;
  overwrite(place / "latency.csv.gz", gzip(content_of(place / "latency.csv")));
  std::filesystem::remove(place / "latency.csv");
  const Table read = read_table(place);
  CHECK(read.cells.size() == table.cells.size());
  std::ostringstream before, after;
  write_csv(before, table);
  write_csv(after, read);
  CHECK(before.str() == after.str());
  write_table(folder.path, table);
  CHECK_FALSE(std::filesystem::exists(place / "latency.csv.gz"));
  overwrite(place / "latency.csv.gz", "no gzip");
  std::filesystem::remove(place / "latency.csv");
  CHECK(exit_code_of_reading(place) == ExitCode::storage);
}

TEST_CASE("a brief table is its csv and its provenance, and is read like a whole one") {
  const TestFolder folder;
  const Table table = random_table(3, 30);
  write_table(folder.path, table);
  write_table(folder.path, table, TableDetail::columns_only);
  const auto place = folder.path / table.run.table;
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(place)) files.insert(entry.path().filename().string());
  CHECK(files == std::set<std::string>{"forms.csv.gz", "latency.csv", "run.json"});

  const Table read = read_table(place);
  CHECK(read.run.toolchain == table.run.toolchain);
  CHECK(read.run.kind == table.run.kind);
  std::ostringstream before, after;
  write_csv(before, table);
  write_csv(after, read);
  CHECK(before.str() == after.str());

  // It has no machine code to write.
  const TestFolder copy;
  write_table(copy.path, read);
  CHECK(content_of(copy.path / read.run.table / "run.json") == content_of(place / "run.json"));

  std::ofstream(place / "latency.csv", std::ios::app) << "an,altered,row\n";
  CHECK_THROWS_AS(read_table(place), Error);
}
