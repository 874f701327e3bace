// SPDX-License-Identifier: Apache-2.0
#include "tables/probe_files.h"

#include <sstream>

#include "../results/random_record.h"
#include "../results/test_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "catch.h"
#include "results/json.h"
#include "tables/compression.h"
#include "tables/folder.h"
#include "text.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

results::Record probe_named(const std::string& name) {
  results::Record probe;
  probe.kind = results::RecordKind::probe;
  probe.ptx = name;
  return probe;
}

// A curve, from which a fact follows, and a probe of two series with different axes.
std::vector<results::Record> two_probes() {
  results::Record size = probe_named("cache size");
  size.note = "stride 128";
  size.series = {{"latency", "cycles", {{"size", "KiB", {64, 256.5}}}, {33, std::nullopt}}};
  size.facts = {{"l1.fit_lines", "carveout=0", "192", 128, 256, "count", "kind", results::FactVerdict::inferred,
                 "two steps, \"latency\""}};
  results::Record banks = probe_named("banks");
  banks.verdict = sass::Verdict::unstable;
  banks.series = {{"matrix", "", {{"a", "", {0, 1}}, {"b", "", {0, 1}}}, {1, 2, 3, 4}},
                  {"curve", "", {{"b", "", {7}}}, {9}}};
  return {size, banks};
}

}  // namespace

TEST_CASE("facts of all probes are one csv") {
  const TestFolder folder;
  write_probe_files(folder.path, two_probes(), {});
  CHECK(content_of(folder.path / "facts.csv") ==
        "probe,quantity,condition,value,low,high,unit,scope,verdict,how\n"
        "cache size,l1.fit_lines,carveout=0,192,128,256,count,kind,inferred,\"two steps, \"\"latency\"\"\"\n");
}

TEST_CASE("a probe's series have a line per point, with the name of the series if there are several") {
  const TestFolder folder;
  write_probe_files(folder.path, two_probes(), {});
  CHECK(gunzip(content_of(folder.path / "series/cache_size.csv.gz")) == "size,value\n64,33\n256.5,\n");
  CHECK(gunzip(content_of(folder.path / "series/banks.csv.gz")) ==
        "series,a,b,value\nmatrix,0,0,1\nmatrix,0,1,2\nmatrix,1,0,3\nmatrix,1,1,4\ncurve,,7,9\n");
}

TEST_CASE("an axis of names is written by its names, in the csv and in the text") {
  const TestFolder folder;
  auto probe = probe_named("paths");
  probe.series = {{"latency",
                   "cycles",
                   {{"path", "", {0, 1}, {"ca", "a, b"}}, {"bytes", "bytes", {4096, 8192}}},
                   {33, 34, 260, std::nullopt}}};
  write_probe_files(folder.path, {probe}, {});
  CHECK(gunzip(content_of(folder.path / "series/paths.csv.gz")) ==
        "path,bytes,value\nca,4096,33\nca,8192,34\n\"a, b\",4096,260\n\"a, b\",8192,\n");
  CHECK(tables::read_table(folder.path, {tables::Part::probes}).probes == std::vector<results::Record>{probe});
  std::ostringstream text;
  write_probe_text(text, {probe});
  CHECK_THAT(text.str(), Catch::Matchers::Contains("\n  ca   4096              33\n"));
  CHECK_THAT(text.str(), Catch::Matchers::Contains("\na, b   8192               -\n"));
}

TEST_CASE("probe records are read back from their JSON lines as they were") {
  const TestFolder folder;
  RandomRecords random(4);
  std::vector<results::Record> records;
  for (int i = 0; i < 50; ++i) records.push_back(random.probe());
  write_probe_files(folder.path, records, {});
  const auto back = tables::read_table(folder.path, {tables::Part::probes}).probes;
  CHECK(back == records);
}

TEST_CASE("only the runs that probes name are in their folder") {
  const TestFolder folder;
  auto records = two_probes();
  for (auto& record : records) record.run = 2;
  results::Run before, named;
  before.id = 1;
  named.id = 2;
  named.command_line = "ptxlat probe";
  write_probe_files(folder.path, records, {before, named});
  const auto runs = results::Json::parse(content_of(folder.path / "probes.json"))["runs"];
  REQUIRE(runs.size() == 1);
  CHECK(runs[0]["command_line"] == "ptxlat probe");
}

TEST_CASE("damaged probe records are an error that names the file, and missing ones are not") {
  const TestFolder folder;
  CHECK(tables::read_table(folder.path, {tables::Part::probes}).probes.empty());
  write_probe_files(folder.path, two_probes(), {});
  std::filesystem::resize_file(folder.path / "probes.jsonl.zst", 20);
  CHECK_THROWS_WITH(tables::read_table(folder.path, {tables::Part::probes}).probes,
                    Catch::Matchers::Contains("probes.jsonl.zst"));
}

TEST_CASE("a damaged log is an error that names the file and says what to do") {
  const TestFolder folder;
  write_probe_log(folder.path, "l1", "a talk\n");
  const auto file = find_probe_log(folder.path, "l1", "");
  CHECK(read_probe_log(file) == "a talk\n");
  std::filesystem::resize_file(file, 12);
  try {
    read_probe_log(file);
    FAIL("it was read");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    CHECK_THAT(error.what(), Catch::Matchers::Contains("l1"));
    CHECK_FALSE(error.advice.empty());
  }
}

TEST_CASE("probes are replaced without anything left over, and equal ones are equal bytes") {
  const TestFolder a, b;
  write_probe_files(a.path, {probe_named("old")}, {});
  CHECK_FALSE(std::filesystem::exists(a.path / "series"));
  write_probe_files(a.path, two_probes(), {});
  write_probe_files(b.path, two_probes(), {});
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(a.path)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    CHECK(content_of(entry.path()) == content_of(b.path / entry.path().lexically_relative(a.path)));
  }
  CHECK(files == 5);
}

TEST_CASE("two records of one probe have a file each") {
  const TestFolder folder;
  results::Record low = two_probes()[0], high = low;
  low.level = 0;
  high.level = 3;
  high.series[0].values = {1, 2};
  write_probe_files(folder.path, {low, high}, {});
  CHECK(gunzip(content_of(folder.path / "series/cache_size.csv.gz")) == "size,value\n64,33\n256.5,\n");
  CHECK(gunzip(content_of(folder.path / "series/cache_size-2.csv.gz")) == "size,value\n64,1\n256.5,2\n");
}

TEST_CASE("the text of probes has verdict, note, facts and each series as a table") {
  std::ostringstream out;
  write_probe_text(out, two_probes());
  CHECK(out.str() ==
        "cache size: proven\n"
        "\n"
        "stride 128\n"
        "\n"
        "quantity      condition   value  low  high  unit   scope  verdict   how\n"
        "l1.fit_lines  carveout=0    192  128   256  count  kind   inferred  two steps, \"latency\"\n"
        "\n"
        "latency\n"
        "\n"
        "size (KiB)  value (cycles)\n"
        "        64              33\n"
        "     256.5               -\n"
        "\n"
        "banks: unstable\n"
        "\n"
        "matrix\n"
        "\n"
        "a  b  value\n"
        "0  0      1\n"
        "0  1      2\n"
        "1  0      3\n"
        "1  1      4\n"
        "\n"
        "curve\n"
        "\n"
        "b  value\n"
        "7      9\n");
}
