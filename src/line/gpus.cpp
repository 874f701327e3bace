// SPDX-License-Identifier: Apache-2.0
#include "line/gpus.h"

#include <algorithm>

namespace ptxlat::line {

Gpus::Gpus(const std::vector<worker::Worker*>& workers) {
  for (auto* worker : workers) gpus_.push_back({worker});
}

Gpus::Turn::Turn(Gpus& gpus, std::size_t number) : gpus_(gpus), number_(number), begun_(Clock::now()) {}

Gpus::Turn::~Turn() { gpus_.release(number_, begun_); }

double Gpus::seconds_until(Clock::time_point time) const {
  return std::chrono::duration<double>(time - started_).count();
}

// The GPU to be avoided is accepted if it is the only one left.
bool Gpus::accepts(const Waiting& waiting, std::size_t number) const {
  if (gpus_[number].lost) return false;
  if (waiting.only) return number == *waiting.only;
  return number != waiting.except ||
         std::all_of(gpus_.begin(), gpus_.end(), [&](const Gpu& gpu) { return gpu.lost || &gpu == &gpus_[number]; });
}

void Gpus::require_hope(const Waiting& waiting) const {
  if (waiting.only && gpus_[*waiting.only].lost) throw *gpus_[*waiting.only].lost;
  const bool is_one_left = std::any_of(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) { return !gpu.lost; });
  if (!is_one_left) throw *last_error_;
}

std::optional<std::size_t> Gpus::free_one(const Waiting& waiting) {
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    const auto number = (next_ + i) % gpus_.size();
    if (gpus_[number].is_busy || !accepts(waiting, number)) continue;
    next_ = number + 1;
    return number;
  }
  return std::nullopt;
}

std::size_t Gpus::wait_for(Waiting& waiting) {
  std::unique_lock lock(mutex_);
  for (;;) {
    require_hope(waiting);
    if (const auto found = free_one(waiting)) {
      gpus_[*found].is_busy = true;
      return *found;
    }
    auto& queue = waiting.goes_on ? going_on_ : beginning_;
    const auto place = queue.insert(queue.end(), &waiting);
    waiting.looks_again = false;
    waiting.woken.wait(lock, [&] { return waiting.given || waiting.looks_again; });
    queue.erase(place);
    if (waiting.given) return *waiting.given;
  }
}

Gpus::Turn Gpus::any(std::optional<std::size_t> except, bool goes_on) {
  Waiting waiting{{}, except, goes_on};
  return {*this, wait_for(waiting)};
}

Gpus::Turn Gpus::of(std::size_t number) {
  Waiting waiting{number, {}, true};
  return {*this, wait_for(waiting)};
}

void Gpus::release(std::size_t number, Clock::time_point begun) {
  const std::scoped_lock lock(mutex_);
  auto& gpu = gpus_[number];
  const double from = seconds_until(begun), to = seconds_until(Clock::now());
  if (gpu.use.busy == 0) gpu.use.first = from;
  gpu.use.last = to;
  gpu.use.busy += to - from;
  for (const auto* queue : {&going_on_, &beginning_}) {
    for (auto* waiting : *queue) {
      if (waiting->given || !accepts(*waiting, number)) continue;
      waiting->given = number;
      waiting->woken.notify_one();
      return;
    }
  }
  gpu.is_busy = false;
}

bool Gpus::lose(std::size_t number, const Error& why) {
  const std::scoped_lock lock(mutex_);
  if (gpus_[number].lost) return false;
  gpus_[number].lost = why;
  last_error_ = why;
  for (const auto* queue : {&going_on_, &beginning_}) {
    for (auto* waiting : *queue) {
      waiting->looks_again = true;
      waiting->woken.notify_one();
    }
  }
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

std::size_t Gpus::waiting() const {
  const std::scoped_lock lock(mutex_);
  const auto count = [](const std::list<Waiting*>& queue) {
    return std::count_if(queue.begin(), queue.end(), [](const Waiting* one) { return !one->given; });
  };
  return static_cast<std::size_t>(count(going_on_) + count(beginning_));
}

std::vector<GpuUse> Gpus::use() const {
  const std::scoped_lock lock(mutex_);
  std::vector<GpuUse> uses;
  for (const auto& gpu : gpus_) uses.push_back(gpu.use);
  return uses;
}

}  // namespace ptxlat::line
