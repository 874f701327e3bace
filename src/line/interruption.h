// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "base/environment.h"

namespace ptxlat::line {

// An interrupted line finishes chunks in progress if that takes no more than a few seconds.
// To finish those of many threads could take minutes. Thread-safe.
class Interruption {
 public:
  //   interrupted  may be null; else a thread looks at it ten times a second, as all others may wait for assemblers
  //   grace        how long chunks may go on
  explicit Interruption(const std::atomic<bool>* interrupted,
                        std::chrono::milliseconds grace = scaled_deadline(std::chrono::seconds(5)));

  // Called before every step that may take long. Throws Error{interrupted} if the line was interrupted longer ago.
  void require_time();

 private:
  void notice();  // that the line is interrupted; the caller holds the mutex

  const std::atomic<bool>* interrupted_;
  std::chrono::milliseconds grace_;
  std::mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> noticed_;
  std::condition_variable_any ended_;
  std::jthread watching_;
};

}  // namespace ptxlat::line
