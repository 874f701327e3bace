#include "results/json.h"

#include "catch.h"
#include "random_record.h"

using namespace ptxlat;

TEST_CASE("every verdict has a name that leads back to it") {
  for (int i = 0; i <= static_cast<int>(Verdict::no_dependency); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    CHECK(verdict_from(to_string(verdict)) == verdict);
  }
  CHECK(std::string(to_string(Verdict::no_dependency)) == "no_dependency");
  CHECK_FALSE(verdict_from("Proven"));
  CHECK_FALSE(verdict_from(""));
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
  CHECK(sass_lines(sass_from_lines(0xe0, lines)) == lines);
  CHECK(sass_from_lines(0xe0, lines)[2].offset == 0x120);
}

TEST_CASE("windows of equal code give equal lines wherever the kernel has them") {
  const std::vector<SassRecord> early = {{0x10, "NOP", 1, false, 7, 7, 0, 0}, {0x20, "NOP", 1, false, 7, 7, 0, 0}};
  const std::vector<SassRecord> late = {{0x110, "NOP", 1, false, 7, 7, 0, 0}, {0x120, "NOP", 1, false, 7, 7, 0, 0}};
  CHECK(sass_lines(early) == sass_lines(late));
}

TEST_CASE("a record comes back from its JSON unchanged") {
  RandomRecords random(1);
  for (int i = 0; i < 2000; ++i) {
    const CellRecord cell = random.cell();
    const std::string line = to_line(to_json(cell));
    CHECK(line.find('\n') == std::string::npos);
    const CellRecord back = cell_from_json(Json::parse(line));
    REQUIRE(back == cell);
  }
}

TEST_CASE("a provenance comes back from its JSON unchanged") {
  Provenance provenance;
  provenance.table = "sm_90/nvidia-h200/driver-580.159.04";
  provenance.kind = "measured";
  provenance.device = DeviceInfo{0, "NVIDIA H200", "GPU-1", 90, 132, 1980000, 3201000, "580.159.04", 13000};
  provenance.seed = 0xffffffffffffffffu;
  provenance.environment = {{"CUDA_CACHE_DISABLE", "1"}};
  provenance.station_seconds = {{"run", 1.5}};
  const Provenance back = provenance_from_json(Json::parse(to_line(to_json(provenance))));
  CHECK(to_json(back) == to_json(provenance));
  CHECK(back.seed == provenance.seed);
  CHECK(back.device->name == "NVIDIA H200");
  provenance.device.reset();
  CHECK_FALSE(provenance_from_json(to_json(provenance)).device);
}

TEST_CASE("samples that are all the mode are written as their number") {
  CellRecord cell;
  cell.ptx = "popc.b32";
  cell.windows.resize(2);
  cell.windows[0].cycles = 23;
  cell.windows[0].mode_share = 1;
  cell.windows[0].samples.assign(9, 23);
  cell.windows[1].cycles = 23;
  cell.windows[1].mode_share = 0.75;
  cell.windows[1].samples = {23, 23, 40, 23};
  const Json json = to_json(cell);
  CHECK(json["windows"][0]["launches"] == 9);
  CHECK_FALSE(json["windows"][0].contains("samples"));
  CHECK(json["windows"][1]["samples"] == Json::array({23, 23, 40, 23}));
}

TEST_CASE("an assembler's message that is not UTF-8 does not stop a record from being written") {
  CellRecord cell;
  cell.ptx = "add.u32";
  cell.note = "ptxas: \xff\xfe";
  CHECK(cell_from_json(Json::parse(to_line(to_json(cell)))).note == "ptxas: \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("JSON that is no record is refused") {
  for (
      const char* json : {
          R"({})",
          R"([])",
          R"({"ptx":"add.u32","opt":"3","verdict":"proven"})",
          R"({"ptx":"add.u32","opt":3,"verdict":"sure"})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","cycles":"4"})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","windows":[{"role":"chain 4","verdict":"proven","launches":3}]})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","windows":[{"role":"a","verdict":"proven","at":"0","sass":["NOP"]}]})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","windows":[{"role":"a","verdict":"proven","at":"0","sass":["Q2 | NOP"]}]})",
          R"({"ptx":"add.u32","opt":3,"verdict":"proven","windows":[{"role":"a","verdict":"proven","at":"0","sass":["S1 B9 | NOP"]}]})",
      }) {
    CAPTURE(json);
    CHECK_THROWS_AS(cell_from_json(Json::parse(json)), std::exception);
  }
}
