// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace ptxlat::line {

// Seconds spent at each station, summed over threads. Thread-safe.
class StationClock {
 public:
  void add(const std::string& station, std::chrono::steady_clock::duration time) {
    const std::scoped_lock lock(mutex_);
    seconds_[station] += std::chrono::duration<double>(time).count();
  }
  std::map<std::string, double> seconds() const {
    const std::scoped_lock lock(mutex_);
    return seconds_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double> seconds_;
};

// Measures the time until the end of its scope.
class Stopwatch {
 public:
  Stopwatch(StationClock* clock, const char* station)
      : clock_(clock), station_(station), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    if (clock_ != nullptr) clock_->add(station_, std::chrono::steady_clock::now() - start_);
  }
  Stopwatch(const Stopwatch&) = delete;  // its destructor does the work
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  StationClock* clock_;
  const char* station_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace ptxlat::line
