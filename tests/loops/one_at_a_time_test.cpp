// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "catch.h"
#include "loops/measured_codes.h"

using namespace ptxlat::loops;

TEST_CASE("of threads with one key, the first finds a result and all others see it; different keys do not wait") {
  OneAtATime by_key;
  std::mutex mutex;
  std::map<std::string, int> known;
  std::atomic<int> measured{0};
  {
    const auto unrelated = by_key.wait_for("unrelated");
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&, key = i % 2 == 0 ? "even" : "odd"] {
        const auto turn = by_key.wait_for(key);
        {
          const std::scoped_lock lock(mutex);
          if (known.contains(key)) return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++measured;
        const std::scoped_lock lock(mutex);
        known[key] = 1;
      });
    }
  }
  CHECK(measured == 2);
}
