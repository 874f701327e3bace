// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

#include "base/deadline.h"

namespace ptxlat::line {

// What an interrupted line does with chunks in progress: they are finished if that takes no more than a few seconds.
// To finish those of many threads could take minutes. Thread-safe.
class Interruption {
 public:
  //   interrupted  may be null
  //   grace        how long chunks may go on
  explicit Interruption(const std::atomic<bool>* interrupted,
                        std::chrono::milliseconds grace = scaled_deadline(std::chrono::seconds(5)))
      : interrupted_(interrupted), grace_(grace) {}

  // Called before every step that may take long. Throws Error{interrupted} if the first call after the interruption
  // was longer ago than that.
  void require_time();

 private:
  const std::atomic<bool>* interrupted_;
  std::chrono::milliseconds grace_;
  std::mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> noticed_;
};

}  // namespace ptxlat::line
