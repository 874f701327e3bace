// SPDX-License-Identifier: Apache-2.0
#include "pages/evidence.h"

#include <fstream>
#include <sstream>

#include "../results/test_folder.h"
#include "catch.h"
#include "tables/folder.h"
#include "tables/probe_files.h"

using namespace ptxlat;
using namespace ptxlat::pages;
using namespace ptxlat::tables;

namespace {

// A chase with its two plateaus and the capacity between them.
results::Record chase() {
  results::Record probe;
  probe.kind = results::RecordKind::probe;
  probe.ptx = "chase";
  probe.level = 3;
  probe.run = 1;
  probe.series = {{"latency",
                   "cycles",
                   {{"bytes", "bytes", {1024, 2048, 4096, 8192, 16384, 32768}}},
                   {32, 32.25, 150, 280, 281.5, std::nullopt}}};
  const auto inferred = results::FactVerdict::inferred;
  probe.facts = {{"chase.l1", "", "32", 31, 33, "cycles", "kind", inferred, "the first plateau"},
                 {"chase.l2", "", "280", 275, 285, "cycles", "card", inferred, "the second plateau"},
                 {"l1.bytes", "", "3000", 2048, 4096, "bytes", "kind", inferred, "the knee"}};
  return probe;
}

results::Run run_one() {
  results::Run run;
  run.id = 1;
  run.command_line = "ptxlat probe chase";
  run.started_utc = "2026-01-02T03:04:05Z";
  run.toolchain = "driver-580";
  run.git_commit = "abc";
  return run;
}

std::string evidence(const std::filesystem::path& folder, const results::Record& probe, const std::string& quantity) {
  std::ostringstream out;
  const std::vector<results::Record> records{probe};
  write_evidence(out, folder, find_facts(records, quantity, ""), {run_one()});
  return out.str();
}

results::WindowRecord window_named(const std::string& role) {
  results::WindowRecord window;
  window.role = role;
  return window;
}

}  // namespace

TEST_CASE("the evidence of a plateau is the series with the points that it predicts") {
  const TestFolder folder;
  CHECK(evidence(folder.path, chase(), "chase.l2") ==
        "chase.l2\n"
        "value    280 cycles\n"
        "range    275 to 285, expected in a repetition on the same card\n"
        "scope    card: a different card of this kind may differ\n"
        "verdict  inferred: from a model that also predicted measurements it was not made from\n"
        "how      the second plateau\n"
        "\n"
        "probe chase: proven, at -O3; `ptxlat probe chase` of 2026-01-02T03:04:05Z, driver-580, ptxlat abc\n"
        "\n"
        "latency: cycles against bytes\n"
        "\n"
        "chase.l2 280 cycles predicts 2 of 5 points\n"
        "\n"
        "bytes from     to  points  lowest  median  highest  predicted by\n"
        "      1024   2048       2      32   32.25    32.25  chase.l1\n"
        "      4096   4096       1     150     150      150  -\n"
        "      8192  16384       2     280   281.5    281.5  chase.l2\n"
        "     32768  32768       1       -       -        -  -\n");
}

TEST_CASE("the evidence for a capacity is the points on both sides of it") {
  const TestFolder folder;
  CHECK_THAT(evidence(folder.path, chase(), "l1.bytes"),
             Catch::Matchers::Contains(
                 "l1.bytes 3000 bytes 2 points up to it with a median of 32.25, 3 beyond with a median of "
                 "280\n"));
}

TEST_CASE("the evidence for a fact inferred in a dialogue names the log of its own point") {
  const TestFolder folder;
  results::Record probe = chase();
  probe.ptx = "l1";
  probe.series.clear();
  probe.facts = {{"l1.ways", "carveout_percent=80 operator=ca", "4", 4, 4, "count", "kind",
                  results::FactVerdict::inferred, "sets"}};
  for (const char* name : {"l1 carveout_percent=8", "l1 carveout_percent=80", "l1 tlb", "l1_x carveout_percent=80"})
    write_probe_log(folder.path, name, "{}\n");
  CHECK(find_probe_log(folder.path, "l1", "carveout_percent=80 operator=ca").filename() ==
        "l1_carveout_percent=80.jsonl.zst");
  CHECK_THAT(evidence(folder.path, probe, "l1.ways"),
             Catch::Matchers::Contains("l1_carveout_percent=80.jsonl.zst (`ptxlat"));
  CHECK(find_probe_log(folder.path, "l1", "carveout_percent=60").empty());
  CHECK(find_probe_log(folder.path, "l2", "").empty());
  CHECK(find_probe_log(folder.path / "none", "l1", "").empty());
}

TEST_CASE("facts are found by their quantity and the pairs of their condition") {
  results::Record probe = chase();
  probe.facts[1].quantity = "chase.l1";
  probe.facts[1].condition = "path=cg warps=1";
  const std::vector<results::Record> records{probe};
  CHECK(find_facts(records, "chase.l1", "").size() == 2);
  CHECK(find_facts(records, "chase.l1", "path=cg").size() == 1);
  CHECK(find_facts(records, "chase.l1", "path=c").empty());
  CHECK(quantities_of(records) == std::vector<std::string>{"chase.l1", "l1.bytes"});
}

TEST_CASE("windows of other points are left out, unless equal code has only their name") {
  results::Record probe = chase();
  probe.facts[0].condition = "path=2";
  probe.windows = {window_named("path=1 bytes=4096"), window_named("path=2 bytes=4096")};
  std::vector<results::Record> records{probe};
  auto windows = windows_behind(find_facts(records, "chase.l1", ""));
  REQUIRE(windows.size() == 1);
  CHECK(windows[0]->role == "path=2 bytes=4096");
  records[0].windows.pop_back();
  CHECK(windows_behind(find_facts(records, "chase.l1", "")).size() == 1);
}

TEST_CASE("the runs of probes are read back, and damaged ones are an error that names the file") {
  const TestFolder folder;
  CHECK(tables::read_table(folder.path, {tables::Part::probes}).probe_runs.empty());
  write_probe_files(folder.path, {chase()}, {run_one()});
  REQUIRE(tables::read_table(folder.path, {tables::Part::probes}).probe_runs.size() == 1);
  CHECK(tables::read_table(folder.path, {tables::Part::probes}).probe_runs[0].command_line == "ptxlat probe chase");
  std::ofstream(folder.path / "probes.json") << "{";
  CHECK_THROWS_WITH(tables::read_table(folder.path, {tables::Part::probes}).probe_runs,
                    Catch::Matchers::Contains("probes.json"));
}
