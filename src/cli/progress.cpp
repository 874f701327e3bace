#include "cli/progress.h"

#include <fmt/format.h>

#include <cmath>

namespace ptxlat {

namespace {

constexpr std::chrono::milliseconds terminal_interval{200};
constexpr std::chrono::seconds plain_interval{5};

std::string duration(double seconds) {
  const auto whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(std::ostream& out, bool is_terminal, std::size_t total, Clock now)
    : out_(out), is_terminal_(is_terminal), total_(total), now_(std::move(now)), start_(now_()), last_shown_(start_) {}

void Progress::advance(std::size_t cells) {
  done_ += cells;
  const auto time = now_();
  if (done_ < total_ && time - last_shown_ < (is_terminal_ ? std::chrono::milliseconds(terminal_interval)
                                                           : std::chrono::milliseconds(plain_interval)))
    return;
  last_shown_ = time;
  if (is_terminal_) {
    out_ << "\r\033[K" << text() << std::flush;
  } else {
    out_ << text() << '\n' << std::flush;
  }
}

void Progress::finish() {
  if (is_terminal_) out_ << "\r\033[K" << std::flush;
}

std::string Progress::text() const {
  const double elapsed = std::chrono::duration<double>(now_() - start_).count();
  const double rate = elapsed > 0 ? static_cast<double>(done_) / elapsed : 0;
  auto line = fmt::format("{} of {} cells", done_, total_);
  if (rate > 0) line += fmt::format(", {:.0f} a second", rate);
  if (rate > 0 && done_ < total_)
    line += fmt::format(", {} left", duration(static_cast<double>(total_ - done_) / rate));
  return line;
}

}  // namespace ptxlat
