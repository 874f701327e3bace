// SPDX-License-Identifier: Apache-2.0

// Rows that refer to those of a sibling table, as tools/common.sh packs them (docs/table-format.md).
#include <fmt/format.h>
#include <zstd.h>

#include <chrono>
#include <cstdlib>
#include <memory>

#include "../results/random_record.h"
#include "../results/test_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "catch.h"
#include "cells.h"
#include "results/json.h"
#include "tables/folder.h"
#include "text.h"

using namespace ptxlat;
using namespace ptxlat::tables;
using Catch::Matchers::Contains;

namespace {

// What `zstd --patch-from` writes.
std::string zstd_from(std::string_view base, std::string_view text) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_refPrefix(context.get(), base.data(), base.size());
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  frame.resize(ZSTD_compress2(context.get(), frame.data(), frame.size(), text.data(), text.size()));
  return frame;
}

// Sets a field of a table's run.json.
void set_field(const std::filesystem::path& table, const std::string& name, const results::Json& value) {
  auto run = results::parse_json(read_file(table / "run.json"));
  run[name] = value;
  overwrite(table / "run.json", run.dump());
}

Table table_of_version(const std::string& version, unsigned seed) {
  RandomRecords random(seed);
  std::vector<results::Record> records;
  for (int i = 0; i < 40; ++i) {
    records.push_back(random.cell());
    if (records.back().verdict == sass::Verdict::unsupported) records.back().verdict = sass::Verdict::elided;
  }
  Table table = table_of(records);
  table.run.table = "sm_90/gpu/" + version;
  return table;
}

// Makes the rows refer to those of the sibling.
void refer(const std::filesystem::path& table, const std::string& sibling) {
  const std::string base(*read_table(table.parent_path() / sibling).lines);
  overwrite(table / "latency.jsonl.zst", zstd_from(base, *read_table(table).lines));
  set_field(table, "jsonl_base", sibling);
}

std::string error_of_reading(const std::filesystem::path& folder) {
  try {
    read_table(folder);
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    return std::string(error.what()) + '\n' + error.advice;
  }
  return {};
}

}  // namespace

TEST_CASE("rows that refer to a sibling's are read like all others, and are written whole again") {
  const TestFolder folder;
  const Table older = table_of_version("older", 5), newer = table_of_version("newer", 6);
  write_table(folder.path, older);
  write_table(folder.path, newer);
  const auto place = folder.path / older.run.table;
  refer(place, "newer");
  CHECK(*read_table(place).lines == *older.lines);
  CHECK(*read_table(place / "").lines == *older.lines);

  write_table(folder.path, read_table(place));
  std::filesystem::remove_all(folder.path / newer.run.table);
  CHECK(*read_table(place).lines == *older.lines);
}

TEST_CASE("rows that refer to a sibling's are never read with different ones, nor from outside the folder") {
  const TestFolder folder;
  const Table older = table_of_version("older", 5), newer = table_of_version("newer", 6);
  write_table(folder.path, older);
  write_table(folder.path, newer);
  const auto place = folder.path / older.run.table, sibling = folder.path / newer.run.table;
  refer(place, "newer");

  SECTION("the sibling is missing") {
    std::filesystem::remove_all(sibling);
    CHECK_THAT(error_of_reading(place), Contains("older") && Contains("rows of newer") && Contains("missing"));
  }
  SECTION("the sibling has different rows") {
    write_table(folder.path, table_of_version("newer", 7));
    CHECK_THAT(error_of_reading(place), Contains("latency.jsonl.zst") && Contains("rows of newer"));
  }
  SECTION("the sibling is damaged") {
    overwrite(sibling / "latency.jsonl.zst", "no frame");
    CHECK_THAT(error_of_reading(place), Contains("newer/latency.jsonl.zst"));
  }
  SECTION("the sibling's rows refer to others") {
    write_table(folder.path, table_of_version("newest", 8));
    refer(sibling, "newest");
    CHECK_THAT(error_of_reading(place), Contains("rows of newer, whose rows refer to others"));
  }
  SECTION("a table that refers to itself") {
    set_field(place, "jsonl_base", "older");
    CHECK_THAT(error_of_reading(place), Contains("rows of older, whose rows refer to others"));
  }
  SECTION("not the name of a folder") {
    std::filesystem::create_directories(folder.path / "outside");
    std::filesystem::copy(sibling, folder.path / "outside", std::filesystem::copy_options::overwrite_existing);
    for (const results::Json& name :
         {results::Json(""), results::Json("."), results::Json(".."), results::Json("../../outside"),
          results::Json("../gpu/newer"), results::Json((folder.path / "outside").string()), results::Json("newer/"),
          results::Json(std::string("newer\0", 6)), results::Json(7)}) {
      set_field(place, "jsonl_base", name);
      INFO(name.dump());
      CHECK_THAT(error_of_reading(place), Contains("run.json") && Contains("not the name of a folder"));
    }
  }
}

TEST_CASE("the script packs versions so that all are read back, and all but the newest refer to it") {
  if (std::system("zstd --version > /dev/null 2>&1") != 0) skip("no zstd on this machine");
  const TestFolder folder;
  std::vector<Table> tables;
  for (const char* version : {"ptxas-9.8.7", "ptxas-12.10.1", "ptxas-12.9.86"}) {
    tables.push_back(table_of_version(version, 5 + tables.size() % 2));
    write_table(folder.path, tables.back());
  }
  const auto gpu = folder.path / "sm_90/gpu";
  const auto script =
      fmt::format("set -euo pipefail; source '{}/tools/common.sh'; pack_versions '{}'; pack_versions '{}'",
                  PTXLAT_SOURCE_DIR, gpu.string(), gpu.string());
  const auto ended = run_program("/bin/bash", {"-c", script}, folder.path, std::chrono::minutes(2));
  INFO(ended.output);
  REQUIRE(ended.ok());
  CHECK(ended.output.empty());
  for (const Table& table : tables) {
    const auto place = folder.path / table.run.table;
    CHECK(*read_table(place).lines == *table.lines);
    CHECK_FALSE(std::filesystem::exists(place / "latency.jsonl"));
    const auto run = results::parse_json(read_file(place / "run.json"));
    CHECK(run.value("jsonl_base", "") == (place.filename() == "ptxas-12.10.1" ? "" : "ptxas-12.10.1"));
  }
}
