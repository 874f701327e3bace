// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "results/record.h"

namespace ptxlat::cli {

// A window with its machine code and control words; a cell's numbers, and a cell with all of these, on standard output.
void print_window(const results::WindowRecord& window);
void print_numbers(const results::Record& cell);
void print_cell(const results::Record& cell);

// What the program prints may have a stranger's words: of a table, a store, a bundle, a catalogue. So commands print
// with these functions alone, which leave a terminal's commands out. (A tables::Page, which may be in colour, does the
// same with each of its texts. Files keep the words as they are.)

// A message, on standard error. One that cannot be written is dropped: the work and its exit code are as without.
template <typename... Arguments>
void say(std::FILE* error, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  clear_progress();
  const auto message = printable(fmt::format(text, std::forward<Arguments>(arguments)...));
  std::fwrite(message.data(), 1, message.size(), error);
}

// A message that --quiet leaves out: neither a warning nor an error.
template <typename... Arguments>
void remark(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  if (!manner().is_quiet) say(stderr, text, std::forward<Arguments>(arguments)...);
}

// An error with what to do about it.
inline void say(std::FILE* stream, const Error& error) {
  say(stream, "ptxlat: {}\n", error.what());
  if (!error.advice.empty()) say(stream, "        {}\n", error.advice);
}

// Data, on standard output. The end of the program looks at the stream: work goes on if its reader is gone.
template <typename... Arguments>
void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  std::cout << printable(fmt::format(text, std::forward<Arguments>(arguments)...));
}

// Prints what `write` writes to a stream.
template <typename Write>
void print_text(const Write& write) {
  std::ostringstream out;
  write(out);
  std::cout << printable(out.str());
}

}  // namespace ptxlat::cli
