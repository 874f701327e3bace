// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

#include "base/error.h"
#include "line/measured_code.h"
#include "worker/worker.h"

namespace ptxlat::line {

// How long a GPU of a line was in use, in seconds: between its first and its last turn, which are counted from the
// start of the line, it was busy for so long.
struct GpuUse {
  double first = 0, last = 0, busy = 0;
};

// The GPUs of a line, all of one kind and numbered from 0. Each serves one chunk at a time and remembers what it has
// run. Those that wait are served in order, but those that go on with a chunk before those that would begin one: so
// little is begun at a time, and threads that are done with theirs assemble the next one while others measure. A GPU is
// handed over to one that waits, and no other one is woken: a hundred threads that look after each launch would keep
// each other from their turns. Thread-safe.
class Gpus {
 public:
  // One GPU for each worker; none for static tables. The workers must outlive it.
  explicit Gpus(const std::vector<worker::Worker*>& workers);

  // A GPU that nobody else uses until the end of this object.
  class Turn {
   public:
    Turn(Gpus& gpus, std::size_t number);
    ~Turn();
    Turn(const Turn&) = delete;  // ends once
    Turn& operator=(const Turn&) = delete;

    std::size_t number() const { return number_; }
    worker::Worker& worker() const { return *gpus_.gpus_[number_].worker; }
    MeasuredCode& measured() const { return gpus_.gpus_[number_].measured; }

   private:
    Gpus& gpus_;
    std::size_t number_;
    std::chrono::steady_clock::time_point begun_;
  };

  // Waits for the first GPU that is free, but not for `except` if there is a different one. Throws the Error of the one
  // lost last if all are lost.
  //   goes_on  with a chunk, and does not begin one
  Turn any(std::optional<std::size_t> except = {}, bool goes_on = false);
  // Waits for this one. Throws its Error if it is lost.
  Turn of(std::size_t number);

  // Gives up a GPU that no longer answers. Returns whether that is new.
  bool lose(std::size_t number, const Error& why);
  std::size_t lost() const;               // how many
  std::vector<std::size_t> left() const;  // the numbers of the others, ascending
  std::vector<GpuUse> use() const;        // of each
  std::size_t waiting() const;            // how many threads: for tests, in which one waits after the other

 private:
  using Clock = std::chrono::steady_clock;
  struct Gpu {
    worker::Worker* worker = nullptr;
    MeasuredCode measured = {};
    bool is_busy = false;
    std::optional<Error> lost = {};
    GpuUse use = {};
  };
  // A thread that waits: for one GPU, or for any but `except`.
  struct Waiting {
    std::optional<std::size_t> only, except;
    bool goes_on = false;
    std::optional<std::size_t> given = {};
    bool looks_again = false;  // a GPU was lost
    std::condition_variable woken = {};
  };

  std::size_t wait_for(Waiting& waiting);
  bool accepts(const Waiting& waiting, std::size_t number) const;
  void require_hope(const Waiting& waiting) const;
  // In turn, so that all are used equally.
  std::optional<std::size_t> free_one(const Waiting& waiting);
  void release(std::size_t number, Clock::time_point begun);
  double seconds_until(Clock::time_point time) const;

  mutable std::mutex mutex_;
  std::vector<Gpu> gpus_;
  std::list<Waiting*> going_on_, beginning_;  // first come, first served
  std::optional<Error> last_error_;
  std::size_t next_ = 0;  // whose turn it is
  Clock::time_point started_ = Clock::now();
};

}  // namespace ptxlat::line
