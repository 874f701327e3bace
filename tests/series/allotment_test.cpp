// SPDX-License-Identifier: Apache-2.0
#include "series/allotment.h"

#include "catch.h"

using namespace ptxlat::series;
using Catch::Matchers::Contains;

namespace {

// What the shipped probe would see of an SM.
std::vector<Resident> measure(const Allotment& sm) {
  std::vector<Resident> measured;
  for (const int warps : {1, 2, 4}) {
    for (const int registers : {24,  32,  33,  40,  41,  42,  48,  50,  56,  57,  64,  72,  73,  80,  85,  88,  96,
                                102, 104, 112, 120, 128, 129, 144, 160, 168, 170, 176, 192, 208, 224, 240, 248, 255})
      measured.push_back({warps, registers, sm.resident(warps, registers)});
  }
  return measured;
}

}  // namespace

TEST_CASE("an SM's limits and its register file are recovered from the CTAs that are there together") {
  for (const int parts : {1, 2, 4}) {
    for (const int registers : {16384, 8192, 32768}) {
      for (const int granularity : {4, 8, 16}) {
        const Allotment sm{32, 64, parts, registers, granularity};
        const auto found = find_allotment(measure(sm));
        INFO(parts << " parts of " << registers << " registers, multiples of " << granularity);
        // Where the limit of warps hides the register file, nothing can be said.
        if (!found.why.empty()) {
          CHECK((parts * registers > 65536 || parts * registers < 16384 ||
                 found.why.find("predict the same") != std::string::npos));
          continue;
        }
        CHECK(found.allotment.granularity <= granularity);
        CHECK(found.most_granularity >= granularity);
        CHECK(found.allotment.parts == parts);
        CHECK(found.allotment.registers <= registers);
        CHECK(found.most_registers >= registers);
      }
    }
  }
}

TEST_CASE("the register file of an SM of today is recovered exactly") {
  const auto found = find_allotment(measure({32, 64, 4, 16384, 8}));
  REQUIRE(found.why.empty());
  CHECK(found.allotment.blocks == 32);
  CHECK(found.allotment.warps == 64);
  CHECK(found.allotment.parts == 4);
  CHECK(found.allotment.registers == 16384);
  CHECK(found.allotment.granularity == 8);
  CHECK(found.predicted == 51);
}

TEST_CASE("a count that no equal shares give leaves the register file undetermined") {
  auto measured = measure({32, 64, 4, 16384, 8});
  measured[40].ctas += 3;
  CHECK_THAT(find_allotment(measured).why, Contains("no equal shares"));
  measured[40].ctas -= 3;
  measured[41].ctas += 3;
  CHECK_THAT(find_allotment(measured).why, Contains("predicts the others"));
}

TEST_CASE("the register file is also recovered from the largest CTAs that can be launched") {
  for (const Allotment& sm :
       {Allotment{32, 64, 4, 16384, 8}, Allotment{16, 64, 2, 16384, 8}, Allotment{8, 32, 1, 16384, 4}}) {
    std::vector<LargestCta> measured;
    for (const int registers : {24,  32,  40,  48,  56,  64,  65,  72,  73,  80,  88,  90,  96,  100,
                                104, 112, 120, 128, 129, 144, 160, 168, 176, 192, 208, 224, 240, 255}) {
      int warps = 0;
      while (warps < 32 && sm.resident(warps + 1, registers) >= 1) ++warps;
      measured.push_back({registers, warps});
    }
    const auto found = find_allotment(measured);
    INFO(found.why);
    CHECK(found.allotment.parts == sm.parts);
    CHECK(found.allotment.granularity <= sm.granularity);
    CHECK(found.most_granularity >= sm.granularity);
    CHECK(found.allotment.registers <= sm.registers);
    CHECK(found.most_registers >= sm.registers);
  }
}
