// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cli/progress.h"

namespace ptxlat::cli {

// Where standard output goes. `columns` is 80 if it is unknown.
struct Screen {
  bool is_terminal = false;
  std::size_t columns = 80, rows = 24;
  bool in_colour = false;
};
const Screen& screen();

// What the options of every command say.
//   full   everything, also on a terminal
//   quiet  results, warnings and errors alone
struct Manner {
  bool is_full = false, is_quiet = false, is_verbose = false;
  std::string color = "auto";  // or "always", "never"
};
Manner& manner();

// While it lives, standard output keeps to the screen if it is a terminal and nobody wants more: longer lines are cut,
// and what is below a screenful is counted. At the end it says how much there is.
class OneScreen {
 public:
  OneScreen();
  ~OneScreen();
  OneScreen(const OneScreen&) = delete;
  OneScreen& operator=(const OneScreen&) = delete;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

// Where progress is shown, on standard error.
Progress::To progress_to();

// Whether this is the answer for one screen.
bool is_brief();

}  // namespace ptxlat::cli
