#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <ostream>
#include <string>

namespace ptxlat::cli {

// Tells how far long work has come: one line that is written over on a terminal, plain lines elsewhere. Rate and time
// left are those of the last half minute: the slow cells come last, and an average from the start would not see them.
// The clock is given so that a test can turn it.
class Progress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  //   unit  what is counted: "cells"
  Progress(std::ostream& out, bool is_terminal, std::size_t total, std::string unit = "cells",
           Clock now = std::chrono::steady_clock::now);
  // So many more are done.
  void advance(std::size_t count);
  // Takes the line off a terminal before something else is printed there; the next advance shows it again.
  void clear();
  // Ends the line on a terminal.
  void finish();

 private:
  double rate() const;
  std::string text() const;

  std::ostream& out_;
  bool is_terminal_;
  std::size_t total_;
  std::string unit_;
  std::size_t done_ = 0;
  Clock now_;
  std::chrono::steady_clock::time_point last_shown_;
  bool is_shown_ = true;
  struct Sample {
    std::chrono::steady_clock::time_point time;
    std::size_t done;
  };
  std::deque<Sample> recent_;  // about one a second; the first is where the rate is taken from
};

}  // namespace ptxlat::cli
