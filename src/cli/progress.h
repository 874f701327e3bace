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

// Shows the progress of long work: one line that is overwritten on a terminal, plain lines elsewhere. Rate and time
// left are based on the last half minute: the slow cells come last, and an average from the start would miss them. The
// clock is a parameter so that a test can control it.
class Progress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  //   unit  what is counted: "cells"
  Progress(std::ostream& out, bool is_terminal, std::size_t total, std::string unit = "cells",
           Clock now = std::chrono::steady_clock::now);
  // This many more are done.
  void advance(std::size_t count);
  // The share of the work that is done, if it is not that of the cells: some take a thousand times as long as others.
  // The time left is based on it. Shown with the next advance.
  void set_share(double share) { share_ = share; }
  // Removes the line from a terminal before something else is printed; the next advance shows it again.
  void clear();
  // Ends the line on a terminal.
  void finish();

 private:
  double share() const;
  std::string text() const;

  std::ostream& out_;
  bool is_terminal_;
  std::size_t total_;
  std::string unit_;
  std::size_t done_ = 0;
  std::optional<double> share_;
  Clock now_;
  std::chrono::steady_clock::time_point last_shown_;
  bool is_shown_ = true;
  struct Sample {
    std::chrono::steady_clock::time_point time;
    std::size_t done;
    double share;
  };
  std::deque<Sample> recent_;  // about one per second; the rate is computed from the first
};

}  // namespace ptxlat::cli
