// SPDX-License-Identifier: Apache-2.0
#include "results/json.h"

#include "catch.h"
#include "random_record.h"
#include "results/sass_text.h"

using namespace ptxlat;
using namespace ptxlat::results;

TEST_CASE("every verdict has a name that leads back to it") {
  for (int i = 0; i <= static_cast<int>(sass::Verdict::no_dependency); ++i) {
    const auto verdict = static_cast<sass::Verdict>(i);
    CHECK(sass::verdict_from(to_string(verdict)) == verdict);
  }
  CHECK(std::string(to_string(sass::Verdict::no_dependency)) == "no_dependency");
  CHECK_FALSE(sass::verdict_from("Proven"));
  CHECK_FALSE(sass::verdict_from(""));
}

TEST_CASE("an instruction is one short line with only the control fields that say something") {
  const std::vector<SassRecord> sass = {
      {0xe0, "CS2R R2, SR_CLOCKLO", 2, false, 7, 7, 0, 0},
      {0xf0, "POPC R6, |R6|", 2, true, 0, 1, 0, 0},
      {0x120, "@P0 IADD3 R0, R6, R3, RZ", 15, false, 7, 7, 0b100001, 3},
  };
  const std::vector<std::string> lines = {"S2 | CS2R R2, SR_CLOCKLO", "S2 Y W0 R1 | POPC R6, |R6|",
                                          "+30 S15 B05 U3 | @P0 IADD3 R0, R6, R3, RZ"};
  CHECK(sass_lines(sass) == lines);
  CHECK(sass_lines(sass_from_json(0xe0, Json(lines).dump())) == lines);
  CHECK(sass_from_json(0xe0, Json(lines).dump())[2].offset == 0x120);
}

TEST_CASE("windows of equal code give equal lines wherever the kernel has them") {
  const std::vector<SassRecord> early = {{0x10, "NOP", 1, false, 7, 7, 0, 0}, {0x20, "NOP", 1, false, 7, 7, 0, 0}};
  const std::vector<SassRecord> late = {{0x110, "NOP", 1, false, 7, 7, 0, 0}, {0x120, "NOP", 1, false, 7, 7, 0, 0}};
  CHECK(sass_lines(early) == sass_lines(late));
}

TEST_CASE("a record comes back from its JSON unchanged") {
  RandomRecords random(1);
  for (int i = 0; i < 2000; ++i) {
    Record record = i % 4 == 0 ? random.probe() : random.cell();
    record.run = i % 3;
    const std::string line = to_line(to_json(record));
    CHECK(line.find('\n') == std::string::npos);
    const Record back = record_from_json(Json::parse(line));
    REQUIRE(back == record);
    REQUIRE(record_from_text(line) == record);
  }
}

TEST_CASE("every kind of metric is a separate member in JSON, and absent if a record does not have it") {
  for (const MetricKind& kind : metric_kinds()) {
    Record record;
    record.set(kind.tag, 6.5);
    const Json json = to_json(record);
    INFO(kind.tag);
    CHECK(json.at(std::string(kind.tag)) == 6.5);
    CHECK_FALSE(json.contains("from"));
    CHECK_FALSE(json.contains("metric_verdicts"));
    CHECK(record_from_json(json).number(kind.tag) == 6.5);
    CHECK_FALSE(to_json(Record()).contains(std::string(kind.tag)));
  }
}

TEST_CASE("JSON says where metrics come from, and their verdicts where these are not proven") {
  Record record;
  record.run = 7;
  record.add_flag(results::flag::spread);
  record.set(results::metric::cycles, 4, {"chain", "chain twice"});
  record.set(results::metric::bracket, 2);
  record.metrics[1].verdict = sass::Verdict::unstable;
  const Json json = to_json(record);
  CHECK(json.at("cycles") == 4);
  CHECK(json.at("from") == Json({{"cycles", {"chain", "chain twice"}}}));
  CHECK(json.at("metric_verdicts") == Json({{"bracket", "unstable"}}));
  CHECK(json.at("flags") == Json::array({"spread"}));
  CHECK(json.at("run") == 7);
  CHECK_FALSE(json.contains("kind"));
  record.kind = RecordKind::probe;
  CHECK(to_json(record).at("kind") == "probe");
}

TEST_CASE("an axis of names has them next to its values, and one of numbers has none") {
  Record record;
  record.kind = RecordKind::probe;
  record.ptx = "paths";
  record.series = {
      {"latency", "cycles", {{"path", "", {0, 1}, {"ca", "cg"}}, {"bytes", "bytes", {4096}}}, {33, std::nullopt}}};
  const Json json = to_json(record);
  const Json& axes = json.at("series").at(0).at("axes");
  CHECK(axes.at(0).at("names") == Json::array({"ca", "cg"}));
  CHECK(axes.at(0).at("values") == Json::array({0, 1}));
  CHECK_FALSE(axes.at(1).contains("names"));
  CHECK(record_from_json(Json::parse(to_line(json))) == record);
}

TEST_CASE("a run comes back from its JSON unchanged") {
  Run run;
  run.id = 3;
  run.table = "sm_90/nvidia-h200/driver-580.159.04";
  run.kind = "measured";
  run.method = "method 15";
  run.device = gpu::DeviceInfo{0, "NVIDIA H200", "GPU-1", 90, 132, 1980000, 3201000, "580.159.04", 13000};
  run.sm_clock_mhz = 1979.5;
  run.seed = 0xffffffffffffffffu;
  run.launches = 9;
  run.plan = "0123456789abcdef";
  run.shard = "3/16";
  run.was_interrupted = true;
  run.warnings = {"another process used the GPU"};
  run.environment = {{"CUDA_CACHE_DISABLE", "1"}};
  run.station_seconds = {{"run", 1.5}};
  const Run back = run_from_json(Json::parse(to_line(to_json(run))));
  CHECK(to_json(back) == to_json(run));
  CHECK(back.seed == run.seed);
  CHECK(back.device->name == "NVIDIA H200");
  CHECK(back.sm_clock_mhz == 1979.5);
  CHECK(back.warnings == run.warnings);
  CHECK(back.plan == run.plan);
  CHECK(back.shard == run.shard);
  CHECK(back.was_interrupted);
  run.device.reset();
  CHECK_FALSE(run_from_json(to_json(run)).device);
}

TEST_CASE("the short list of runs tells them apart") {
  Run first, second;
  first.id = 1;
  first.launches = 9;
  first.sm_clock_mhz = 1980;
  first.device = gpu::DeviceInfo{0, "NVIDIA H200", "GPU-1", 90, 132, 1980000, 3201000, "580.159.04", 13000};
  second.id = 4;
  second.started_utc = "2026-01-01T00:00:00Z";
  second.command_line = "ptxlat static";
  const Json list = runs_to_json({first, second});
  CHECK(list.at(0).at("device_uuid") == "GPU-1");
  const std::vector<Run> back = runs_from_json(list);
  REQUIRE(back.size() == 2);
  CHECK(back[0].id == 1);
  CHECK(back[0].launches == 9);
  CHECK(back[0].device->driver_version == "580.159.04");
  CHECK_FALSE(back[1].device);
  CHECK(back[1].command_line == "ptxlat static");
  CHECK(runs_to_json(back) == list);
}

TEST_CASE("samples that are all the mode are written as their number") {
  Record record;
  record.ptx = "popc.b32";
  record.windows.resize(2);
  record.windows[0].cycles = 23;
  record.windows[0].mode_share = 1;
  record.windows[0].samples.assign(9, 23);
  record.windows[1].cycles = 23;
  record.windows[1].mode_share = 0.75;
  record.windows[1].samples = {23, 23, 40, 23};
  const Json json = to_json(record);
  CHECK(json["windows"][0]["launches"] == 9);
  CHECK_FALSE(json["windows"][0].contains("samples"));
  CHECK(json["windows"][1]["samples"] == Json::array({23, 23, 40, 23}));
}

TEST_CASE("an assembler's message that is not UTF-8 does not stop a record from being written") {
  Record record;
  record.ptx = "add.u32";
  record.note = "ptxas: \xff\xfe";
  CHECK(record_from_json(Json::parse(to_line(to_json(record)))).note == "ptxas: \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("every measure has words that lead back to it, and a record has them in JSON") {
  for (int i = 0; i <= static_cast<int>(Measure::issue_only); ++i) {
    Record record;
    record.measure = static_cast<Measure>(i);
    CHECK(measure_from(to_string(*record.measure)) == record.measure);
    CHECK(to_json(record).at("measure") == to_string(*record.measure));
    CHECK(record_from_json(to_json(record)).measure == record.measure);
  }
  CHECK_FALSE(measure_from(""));
  CHECK_FALSE(to_json(Record()).contains("measure"));
}

TEST_CASE("JSON that is not a record is rejected") {
  for (
      const char* json : {
          R"({})",
          R"([])",
          R"({"ptx":"add.u32","opt":"3","verdict":"proven"})",
          R"({"ptx":"add.u32","opt":3,"verdict":"sure"})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","measure":"guess"})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","cycles":"4"})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","cycles":4,"from":{"cycles":"chain"}})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","cycles":4,"metric_verdicts":{"cycles":"sure"}})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","kind":"guess"})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","facts":[{"value":"4","verdict":"measured"}]})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","facts":[{"quantity":"a","verdict":"sure"}]})",
          R"({"ptx":"a","opt":3,"verdict":"proven","series":[{"name":"s","axes":[{"name":"x","values":[1,2]}],"values":[1]}]})",
          R"({"ptx":"a","opt":3,"verdict":"proven","series":[{"name":"s","axes":[{"name":"x","values":[1],"names":["a","b"]}],"values":[1]}]})",
          R"({"ptx":"a","opt":3,"verdict":"proven","series":[{"name":"s","axes":[{"name":"x","values":[1],"names":[1]}],"values":[1]}]})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","windows":[{"role":"chain 4","verdict":"proven","launches":3}]})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","windows":[{"role":"a","verdict":"proven","at":"0","sass":["NOP"]}]})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","windows":[{"role":"a","verdict":"proven","at":"0","sass":["Q2 | NOP"]}]})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","windows":[{"role":"a","verdict":"proven","at":"0","sass":["S1 B9 | NOP"]}]})",
      }) {
    CAPTURE(json);
    CHECK_THROWS_AS(record_from_json(Json::parse(json)), std::exception);
    CHECK_THROWS_AS(record_from_text(json), std::exception);
  }
}
