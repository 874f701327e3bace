#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <ostream>
#include <string>

namespace ptxlat {

// Tells how far long work has come: one line that is written over on a terminal, plain lines elsewhere. The clock is
// given so that a test can turn it.
class Progress {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  Progress(std::ostream& out, bool is_terminal, std::size_t total, Clock now = std::chrono::steady_clock::now);
  // So many more cells are done.
  void advance(std::size_t cells);
  // Ends the line on a terminal.
  void finish();

 private:
  std::string text() const;

  std::ostream& out_;
  bool is_terminal_;
  std::size_t total_;
  std::size_t done_ = 0;
  Clock now_;
  std::chrono::steady_clock::time_point start_, last_shown_;
};

}  // namespace ptxlat
