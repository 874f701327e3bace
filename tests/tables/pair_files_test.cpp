// SPDX-License-Identifier: Apache-2.0
#include "tables/pair_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "../results/test_folder.h"
#include "base/file.h"
#include "catch.h"
#include "tables/compression.h"
#include "tables/folder.h"

using namespace ptxlat;

TEST_CASE("pairs.csv may be compressed, and is replaced when the pairs are written again") {
  const TestFolder folder;
  const auto plain = folder.path / "pairs.csv", packed = folder.path / "pairs.csv.gz";
  tables::write_pair_files(
      folder.path,
      {{{"FFMA", "FADD", "a", 4, 4, 4, "exact", ""}}, {{"IMAD.HI", results::Held::interlock, 9, 7, 9, 32}}, {}, {}});
  const auto arrivals = tables::read_table(folder.path, {tables::Part::arrivals}).pairs.arrivals;
  REQUIRE(arrivals.size() == 1);
  CHECK(arrivals.front() == results::ArrivalTime{"IMAD.HI", results::Held::interlock, 9, 7, 9, 32});
  std::ofstream(packed, std::ios::binary) << tables::gzip(read_file(plain));
  std::filesystem::remove(plain);
  REQUIRE(tables::read_table(folder.path, {tables::Part::pairs}).pairs.pairs.size() == 1);
  CHECK(tables::read_table(folder.path, {tables::Part::pairs}).pairs.pairs.front().producer == "FFMA");
  std::filesystem::resize_file(packed, 10);
  CHECK_THROWS_WITH(tables::read_table(folder.path, {tables::Part::pairs}).pairs.pairs,
                    Catch::Matchers::Contains("pairs.csv.gz: "));

  tables::write_pair_files(folder.path, {{{"DADD", "FADD", "a", 10, 8, 8, "late", ""}}, {}, {}, {}});
  CHECK_FALSE(std::filesystem::exists(packed));
  CHECK(tables::read_table(folder.path, {tables::Part::pairs}).pairs.pairs.front().producer == "DADD");
}

// An assembler that schedules a pair earlier than the hardware needs would be wrong, and so would everybody's programs.
TEST_CASE("no committed pair is scheduled earlier than the hardware needs, and the vendor's bounds hold") {
  const std::string gpu = GENERATE("nvidia-h100-80gb-hbm3", "nvidia-h200");
  INFO(gpu);
  const auto rows =
      tables::read_table(PTXLAT_SOURCE_DIR "/tables/sm_90/" + gpu + "/driver-580.159.04", {tables::Part::pairs})
          .pairs.pairs;
  REQUIRE_FALSE(rows.empty());
  int hazards = 0;
  for (const auto& row : rows) {
    INFO(row.producer << " " << row.consumer << " " << row.slot);
    if (!row.hazard || row.verdict == "waits" || row.slot == "war") continue;
    ++hazards;
    CHECK((!row.schedule || *row.hazard <= *row.schedule));
    const auto starts = [&](const char* name) { return row.producer.starts_with(name); };
    if (starts("FFMA") || starts("FADD") || starts("FMUL")) CHECK(*row.hazard <= 5);
    if (starts("DFMA") || starts("DADD") || starts("DMUL")) CHECK(*row.hazard <= 10);
    if (starts("LOP3") || starts("IADD3") || starts("SHF") || starts("IMAD")) CHECK(*row.hazard <= 6);
  }
  CHECK(hazards > 200);
  const auto found = std::find_if(rows.begin(), rows.end(), [](const auto& row) {
    return row.producer == "DADD" && row.consumer == "LOP3.LUT" && row.verdict == "late";
  });
  REQUIRE(found != rows.end());
  CHECK(found->schedule == 10);
  CHECK(found->hazard == 8);
}
