// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

namespace ptxlat::cli {

// Shows the progress of long work: on a terminal one line with a bar that is overwritten, plain lines elsewhere, or
// nothing. Rate and time left are based on the last half minute: the slow cells come last, and an average from the
// start would miss them. The time left waits until a tenth of the work is done, or half a minute is over: before that
// it would be a guess. Messages in between clear the line (clear_progress). The clock is a parameter so that a test can
// control it.
class Progress {
 public:
  enum class To { terminal, log, nobody };
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  //   unit  what is counted: "cells"
  Progress(std::ostream& out, To to, std::size_t total, std::string unit = "cells",
           Clock now = std::chrono::steady_clock::now);
  ~Progress();
  Progress(const Progress&) = delete;  // messages find it
  Progress& operator=(const Progress&) = delete;

  // This many more are done.
  void advance(std::size_t count);
  // The share of the work that is done, if it is not that of the cells: some take a thousand times as long as others.
  // The time left is based on it. Shown with the next advance.
  void set_share(double share) { share_ = share; }
  // Removes the line from a terminal; the next advance shows it again. Only with the lock of clear_progress.
  void remove_line();
  // Ends the line on a terminal.
  void finish();

 private:
  double share() const;
  std::string text() const;
  std::string bar() const;

  std::ostream& out_;
  To to_;
  std::size_t total_;
  std::string unit_;
  std::size_t done_ = 0;
  std::optional<double> share_;
  Clock now_;
  std::chrono::steady_clock::time_point started_, last_shown_;
  bool is_shown_ = true;
  struct Sample {
    std::chrono::steady_clock::time_point time;
    std::size_t done;
    double share;
  };
  std::deque<Sample> recent_;  // about one per second; the rate is computed from the first
};

// Removes the line of whatever progress is shown, so that a message has a line of its own.
void clear_progress();

}  // namespace ptxlat::cli
