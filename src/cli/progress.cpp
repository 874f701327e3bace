// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace ptxlat::cli {

namespace {

constexpr std::chrono::milliseconds terminal_interval{200};
constexpr std::chrono::milliseconds plain_interval{5000};
constexpr std::chrono::seconds sample_interval{1};
constexpr std::chrono::seconds rate_window{30};
constexpr double least_share = 0.1;

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

// The one whose line is on the terminal, and the lock of that line: messages come from several threads.
std::mutex of_line;
Progress* shown = nullptr;

}  // namespace

void clear_progress() {
  const std::scoped_lock lock(of_line);
  if (shown != nullptr) shown->remove_line();
}

Progress::Progress(std::ostream& out, To to, std::size_t total, std::string unit, Clock now)
    : out_(out),
      to_(to),
      total_(total),
      unit_(std::move(unit)),
      now_(std::move(now)),
      started_(now_()),
      last_shown_(started_),
      recent_{{last_shown_, 0, 0}} {}

Progress::~Progress() {
  const std::scoped_lock lock(of_line);
  if (shown == this) shown = nullptr;
}

void Progress::advance(std::size_t count) {
  const std::scoped_lock lock(of_line);
  done_ += count;
  const auto time = now_();
  if (time - recent_.back().time >= sample_interval) recent_.push_back({time, done_, share()});
  while (recent_.size() > 2 && time - recent_[1].time >= rate_window) recent_.pop_front();
  const bool is_terminal = to_ == To::terminal;
  const auto interval = is_terminal ? terminal_interval : plain_interval;
  const bool is_due = time - last_shown_ >= interval || (is_terminal && !is_shown_);
  if (to_ == To::nobody || (done_ < total_ && !is_due)) return;
  last_shown_ = time;
  is_shown_ = true;
  if (is_terminal) {
    shown = this;
    out_ << "\r\033[K" << bar() << text() << std::flush;
  } else {
    out_ << text() << '\n' << std::flush;
  }
}

void Progress::remove_line() {
  if (to_ == To::terminal && is_shown_) out_ << "\r\033[K" << std::flush;
  is_shown_ = false;
}

void Progress::finish() {
  const std::scoped_lock lock(of_line);
  if (to_ == To::terminal) out_ << "\r\033[K" << std::flush;
  if (shown == this) shown = nullptr;
}

double Progress::share() const { return share_.value_or(static_cast<double>(done_) / static_cast<double>(total_)); }

std::string Progress::bar() const {
  constexpr std::size_t width = 20;
  const auto full = std::min(width, static_cast<std::size_t>(share() * width));
  return fmt::format("[{}{}] ", std::string(full, '#'), std::string(width - full, '.'));
}

std::string Progress::text() const {
  auto line = fmt::format("{} of {} {}", done_, total_, unit_);
  const auto& first = recent_.front();
  const double elapsed = std::chrono::duration<double>(now_() - first.time).count();
  const auto recently_done = static_cast<double>(done_ - first.done);
  if (elapsed <= 0 || recently_done <= 0) return line;
  const double rate = recently_done / elapsed;
  line += fmt::format(", {:.{}f} a second", rate, rate < 10 ? 1 : 0);
  const bool is_early = share() < least_share && now_() - started_ < rate_window;
  if (done_ >= total_ || is_early) return line;
  const double recent_share = share() - first.share;
  return recent_share > 0 ? line + fmt::format(", {} left", duration(elapsed * (1 - share()) / recent_share)) : line;
}

}  // namespace ptxlat::cli
