// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace ptxlat {

// Waits for what must happen, however long it takes on a busy machine. If it never does, CTest's TIMEOUT ends the test.
template <typename Condition>
void wait_until(const Condition& has_happened) {
  while (!has_happened()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace ptxlat
