// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <cmath>

namespace ptxlat::cli {

namespace {

constexpr std::chrono::milliseconds terminal_interval{200};
constexpr std::chrono::milliseconds plain_interval{5000};
constexpr std::chrono::seconds sample_interval{1};
constexpr std::chrono::seconds rate_window{30};

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(std::ostream& out, bool is_terminal, std::size_t total, std::string unit, Clock now)
    : out_(out),
      is_terminal_(is_terminal),
      total_(total),
      unit_(std::move(unit)),
      now_(std::move(now)),
      last_shown_(now_()),
      recent_{{last_shown_, 0, 0}} {}

void Progress::advance(std::size_t count) {
  done_ += count;
  const auto time = now_();
  if (time - recent_.back().time >= sample_interval) recent_.push_back({time, done_, share()});
  while (recent_.size() > 2 && time - recent_[1].time >= rate_window) recent_.pop_front();
  const auto interval = is_terminal_ ? terminal_interval : plain_interval;
  const bool is_due = time - last_shown_ >= interval || (is_terminal_ && !is_shown_);
  if (done_ < total_ && !is_due) return;
  last_shown_ = time;
  is_shown_ = true;
  if (is_terminal_) {
    out_ << "\r\033[K" << text() << std::flush;
  } else {
    out_ << text() << '\n' << std::flush;
  }
}

void Progress::clear() {
  if (is_terminal_) out_ << "\r\033[K" << std::flush;
  is_shown_ = false;
}

void Progress::finish() {
  if (is_terminal_) out_ << "\r\033[K" << std::flush;
}

double Progress::share() const { return share_.value_or(static_cast<double>(done_) / static_cast<double>(total_)); }

std::string Progress::text() const {
  auto line = fmt::format("{} of {} {}", done_, total_, unit_);
  const auto& first = recent_.front();
  const double elapsed = std::chrono::duration<double>(now_() - first.time).count();
  const auto recently_done = static_cast<double>(done_ - first.done);
  if (elapsed <= 0 || recently_done <= 0) return line;
  const double rate = recently_done / elapsed;
  line += fmt::format(", {:.{}f} a second", rate, rate < 10 ? 1 : 0);
  if (done_ >= total_) return line;
  const double recent_share = share() - first.share;
  return recent_share > 0 ? line + fmt::format(", {} left", duration(elapsed * (1 - share()) / recent_share)) : line;
}

}  // namespace ptxlat::cli
