// SPDX-License-Identifier: Apache-2.0
#include "line/gpus.h"

#include <algorithm>

namespace ptxlat::line {

Gpus::Gpus(const std::vector<worker::Worker*>& workers) {
  for (auto* worker : workers) gpus_.push_back({worker});
}

std::optional<std::size_t> Gpus::free_one(std::optional<std::size_t> except) {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const auto number = (next_ + i) % gpus_.size();
    if (number == except || gpus_[number].is_busy || gpus_[number].lost) continue;
    next_ = number + 1;
    return number;
  }
  return std::nullopt;
}

Gpus::Turn Gpus::any(std::optional<std::size_t> except) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto others = std::count_if(gpus_.begin(), gpus_.end(), [&](const Gpu& gpu) {
      return !gpu.lost && static_cast<std::size_t>(&gpu - gpus_.data()) != except;
    });
    if (others == 0) {
      if (!except || gpus_[*except].lost) throw *last_error_;
      except.reset();
    }
    if (const auto found = free_one(except)) {
      gpus_[*found].is_busy = true;
      return {*this, *found};
    }
    changed_.wait(lock);
  }
}

Gpus::Turn Gpus::of(std::size_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return gpus_[number].lost || !gpus_[number].is_busy; });
  if (gpus_[number].lost) throw *gpus_[number].lost;
  gpus_[number].is_busy = true;
  return {*this, number};
}

void Gpus::release(std::size_t number) {
  {
    const std::scoped_lock lock(mutex_);
    gpus_[number].is_busy = false;
  }
  changed_.notify_all();
}

bool Gpus::lose(std::size_t number, const Error& why) {
  {
    const std::scoped_lock lock(mutex_);
    if (gpus_[number].lost) return false;
    gpus_[number].lost = why;
    last_error_ = why;
  }
  changed_.notify_all();
  return true;
}

std::size_t Gpus::lost() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::count_if(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) { return gpu.lost; }));
}

std::vector<std::size_t> Gpus::left() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (!gpus_[i].lost) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace ptxlat::line
