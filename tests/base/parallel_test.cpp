// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <stdexcept>
#include <string>

#include "catch.h"

using namespace ptxlat;

TEST_CASE("work in parallel is done once each") {
  std::vector<int> done(10'000, 0);
  in_parallel(done.size(), [&](std::size_t i) { ++done[i]; });
  CHECK(done == std::vector<int>(10'000, 1));
  in_parallel(0, [](std::size_t) { FAIL("nothing is to be done"); });
}

TEST_CASE("of several failures in parallel the first by index is thrown, when all work has ended") {
  std::atomic<int> ended{0};
  const auto work = [&](std::size_t i) {
    ++ended;
    if (i % 7 == 3) throw std::runtime_error(std::to_string(i));
  };
  CHECK_THROWS_WITH(in_parallel(100, work), "3");
  CHECK(ended == 100);
}
