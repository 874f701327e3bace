// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"

namespace ptxlat {

// Whether threads should end: because one of them failed, or because of a request from outside.
class Stop {
 public:
  // `from_outside` may be null.
  explicit Stop(const std::atomic<bool>* from_outside) : from_outside_(from_outside) {}
  explicit operator bool() const { return failed_ || interrupted(); }
  bool operator!() const { return !static_cast<bool>(*this); }
  bool interrupted() const { return from_outside_ != nullptr && *from_outside_; }
  void fail() { failed_ = true; }

 private:
  const std::atomic<bool>* from_outside_;
  std::atomic<bool> failed_{false};
};

Error cannot_start_thread(std::size_t number, std::size_t of, const std::system_error& error);

// Calls work(0) … work(threads - 1), each on its own thread, and returns when all have ended. The first exception stops
// the others, which check `stop`, and is rethrown.
template <typename Work>
void run_threads(std::size_t threads, Stop& stop, const Work& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  {
    const auto fail = [&](std::exception_ptr reason) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::move(reason);
      stop.fail();
    };
    std::vector<std::jthread> running;
    running.reserve(threads);
    for (std::size_t thread = 0; thread < threads; ++thread) {
      try {
        running.emplace_back([&, thread] {
          try {
            work(thread);
          } catch (...) {
            fail(std::current_exception());
          }
        });
      } catch (const std::system_error& error) {
        fail(std::make_exception_ptr(cannot_start_thread(thread + 1, threads, error)));
        break;
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

inline std::size_t cores() { return std::max(1u, std::thread::hardware_concurrency()); }

// Calls work(0) … work(count - 1), on all cores and in no order, and returns when all have ended. The first exception
// by index is rethrown.
template <typename Work>
void in_parallel(std::size_t count, const Work& work) {
  std::vector<std::exception_ptr> failures(count);
  std::atomic<std::size_t> next{0};
  Stop never(nullptr);
  const auto work_off = [&](std::size_t) {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  };
  if (count < 2) {
    work_off(0);
  } else {
    run_threads(std::min(cores(), count), never, work_off);
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace ptxlat
