// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <chrono>
#include <stdexcept>
#include <string>

#include "../results/child_process.h"
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

TEST_CASE("threads for which there is no memory are an error that says what to do, and the others end") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip("sanitizers need more memory");
#endif
  const pid_t child = start_child([] {
    const rlimit small{bytes_now() + (64 << 20), RLIM_INFINITY};
    ::setrlimit(RLIMIT_DATA, &small);
    Stop stop(nullptr);
    try {
      run_threads(1000, stop, [&](std::size_t) {
        while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    } catch (const Error& error) {
      const bool is_counted = std::string(error.what()).find(" of 1000: ") != std::string::npos;
      return is_counted && error.advice.find("--threads") != std::string::npos ? 0 : 1;
    }
    return 2;
  });
  CHECK(exit_status_of(child) == 0);
}
