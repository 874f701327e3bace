// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "catch.h"
#include "latency/samples.h"

using namespace ptxlat;
using namespace ptxlat::latency;

namespace {

// Latencies of lines: a bell about `middle`, of a cache whose slices are not all as far.
std::vector<double> bell(std::mt19937& random, double middle, double deviation, int count) {
  std::normal_distribution<double> latency(middle, deviation);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(std::round(latency(random)));
  return values;
}

}  // namespace

TEST_CASE("a fence beyond the CTA leaves the SM, even if its launches on one SM took equally long") {
  line::MadeTrial trial;
  const auto leaves = [&](const char* fence) {
    sass::Window window;
    for (const auto* text : {"CS2R.32 R4, SR_CLOCKLO", fence}) window.instructions.emplace_back().text = text;
    return leaves_the_sm(trial, window);
  };
  CHECK_FALSE(leaves("MEMBAR.ALL.GPU"));  // without memory it has nothing to wait for
  trial.launch.uses_memory = true;
  CHECK(leaves("MEMBAR.ALL.GPU"));
  CHECK(leaves("@P0 MEMBAR.SC.SYS"));
  CHECK_FALSE(leaves("MEMBAR.ALL.CTA"));
  CHECK_FALSE(leaves("LDS R4, [R5]"));
  trial.launch.ctas = 2;
  CHECK(leaves("LDS R4, [R5]"));
}

TEST_CASE("what takes a different time on a tenth of the lines leaves the SM, even if most lines take equally long") {
  line::MadeTrial trial;
  trial.launch.uses_memory = true;
  sass::Window window;
  window.instructions.emplace_back().text = "SULD.D.BA.3D.STRONG.SYS.TRAP R4, [R5], R6";
  const auto leaves = [&](const std::vector<std::uint32_t>& elapsed) {
    trial.outcome.emplace();
    auto& readout = trial.outcome->readout;
    readout.launches = elapsed.size();
    readout.threads = 1;
    readout.words_per_thread = 2;
    for (const auto cycles : elapsed) readout.words.insert(readout.words.end(), {100, 100 + cycles});
    return leaves_the_sm(trial, window);
  };
  // Measured on an H200: a surface in the second-level cache, and a createpolicy that branches on its sizes.
  CHECK(leaves({408, 405, 405, 405, 407, 405, 405, 405, 406, 406, 408, 405, 405, 410,
                406, 404, 405, 405, 406, 405, 405, 404, 406, 404, 405, 405, 405}));
  std::vector<std::uint32_t> inside(27, 107);
  CHECK_FALSE(leaves(inside));
  inside[0] = inside[16] = 173;
  CHECK_FALSE(leaves(inside));
  trial.launch.uses_memory = false;
  CHECK_FALSE(leaves({64, 60, 64, 60, 64, 60, 64, 60, 64}));  // divergent local memory
}

TEST_CASE("a distribution of lines at home in two parts of a cache has two humps") {
  std::mt19937 random(1);
  for (int machine = 0; machine < 400; ++machine) {
    const double near = std::uniform_real_distribution<double>(250, 700)(random);
    const double far = near + std::uniform_real_distribution<double>(120, 300)(random);
    const int far_count = std::uniform_int_distribution<int>(surveyed_lines / 5, surveyed_lines * 4 / 5)(random);
    auto values = bell(random, near, 15, surveyed_lines - far_count);
    const auto more = bell(random, far, 15, far_count);
    values.insert(values.end(), more.begin(), more.end());
    values[0] = (near + far) / 2;  // a launch that something disturbed
    std::shuffle(values.begin(), values.end(), random);
    const auto humps = humps_of(values);
    INFO(near << " " << far << " " << far_count);
    REQUIRE(humps.size() == 2);
    CHECK_THAT(humps[0].median, Catch::Matchers::WithinAbs(near, 6));
    CHECK_THAT(humps[1].median, Catch::Matchers::WithinAbs(far, 6));
    CHECK(humps[0].most < humps[1].least);
    CHECK(humps[0].count + humps[1].count == values.size());
  }
}

TEST_CASE("accesses that find memory being refreshed belong to their hump") {
  std::mt19937 random(3);
  for (int machine = 0; machine < 400; ++machine) {
    const double near = std::uniform_real_distribution<double>(500, 620)(random), far = near + 190;
    auto values = bell(random, near, 18, surveyed_lines * 9 / 20);
    const auto more = bell(random, far, 22, surveyed_lines * 43 / 100);
    values.insert(values.end(), more.begin(), more.end());
    // H200, loads from no cache: an eighth of them take 300 cycles more, and some 2,000.
    while (values.size() < surveyed_lines) {
      std::exponential_distribution<double> later(1.0 / 150);
      values.push_back(std::round(far + 250 + later(random)));
    }
    std::shuffle(values.begin(), values.end(), random);
    const auto humps = humps_of(values);
    INFO(near << " " << far);
    REQUIRE(humps.size() == 2);
    CHECK_THAT(humps[0].median, Catch::Matchers::WithinAbs(near, 6));
    CHECK_THAT(humps[1].median, Catch::Matchers::WithinAbs(far, 20));
  }
}

TEST_CASE("one hump stays one, be it narrow, broad, of two lobes, or with a tail") {
  std::mt19937 random(2);
  for (int machine = 0; machine < 400; ++machine) {
    const double middle = std::uniform_real_distribution<double>(200, 900)(random);
    CHECK(humps_of(bell(random, middle, 2, surveyed_lines)).size() == 1);
    CHECK(humps_of(bell(random, middle, 30, surveyed_lines)).size() == 1);
    std::vector<double> broad;
    for (int i = 0; i < surveyed_lines; ++i)
      broad.push_back(std::uniform_real_distribution<double>(middle, middle * 1.3)(random));
    CHECK(humps_of(broad).size() == 1);
    // What half of the SMs read is 35 cycles nearer (H200, stores to global memory).
    auto lobes = bell(random, middle, 10, surveyed_lines / 2);
    const auto second = bell(random, middle + 35, 10, surveyed_lines / 2);
    lobes.insert(lobes.end(), second.begin(), second.end());
    CHECK(humps_of(lobes).size() == 1);
    auto tail = bell(random, middle, 10, surveyed_lines);
    for (int i = 0; i < surveyed_lines / 25; ++i) tail[static_cast<std::size_t>(i)] = 3 * middle;
    CHECK(humps_of(tail).size() == 1);
  }
  CHECK(humps_of({}).empty());
  CHECK(humps_of({5}).front().median == 5);
  CHECK(humps_of(std::vector<double>(100, 7)).size() == 1);
}

TEST_CASE("a hump says where its values lie") {
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(400 + i);
  const auto humps = humps_of(values);
  REQUIRE(humps.size() == 1);
  CHECK(humps[0].least == 400);
  CHECK(humps[0].median == 450);
  CHECK(humps[0].p95 == 495);
  CHECK(humps[0].most == 500);
  CHECK(humps[0].count == 101);
}
