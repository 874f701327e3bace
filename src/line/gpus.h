// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "base/error.h"
#include "line/measured_code.h"
#include "worker/worker.h"

namespace ptxlat::line {

// The GPUs of a line, all of one kind and numbered from 0. Each serves one chunk at a time and remembers what it has
// run. Thread-safe.
class Gpus {
 public:
  // One GPU for each worker; none for static tables. The workers must outlive it.
  explicit Gpus(const std::vector<worker::Worker*>& workers);

  // A GPU that nobody else uses until the end of this object.
  class Turn {
   public:
    Turn(Gpus& gpus, std::size_t number) : gpus_(gpus), number_(number) {}
    ~Turn() { gpus_.release(number_); }
    Turn(const Turn&) = delete;  // ends once
    Turn& operator=(const Turn&) = delete;

    std::size_t number() const { return number_; }
    worker::Worker& worker() const { return *gpus_.gpus_[number_].worker; }
    MeasuredCode& measured() const { return gpus_.gpus_[number_].measured; }

   private:
    Gpus& gpus_;
    std::size_t number_;
  };

  // Waits for the first GPU that is free, but not for `except` if there is a different one. Throws the Error of the one
  // lost last if all are lost.
  Turn any(std::optional<std::size_t> except = {});
  // Waits for this one. Throws its Error if it is lost.
  Turn of(std::size_t number);

  // Gives up a GPU that no longer answers. Returns whether that is new.
  bool lose(std::size_t number, const Error& why);
  std::size_t lost() const;               // how many
  std::vector<std::size_t> left() const;  // the numbers of the others, ascending

 private:
  struct Gpu {
    worker::Worker* worker = nullptr;
    MeasuredCode measured = {};
    bool is_busy = false;
    std::optional<Error> lost = {};
  };

  // In turn, so that all are used equally.
  std::optional<std::size_t> free_one(std::optional<std::size_t> except);
  void release(std::size_t number);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Gpu> gpus_;
  std::optional<Error> last_error_;
  std::size_t next_ = 0;  // whose turn it is
};

}  // namespace ptxlat::line
