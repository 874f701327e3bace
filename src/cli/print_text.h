// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <utility>

#include "base/printable.h"

namespace ptxlat::cli {

// What the program prints may have a stranger's words: of a table, a store, a bundle, a catalogue. So commands print
// with these functions alone, which leave a terminal's commands out. (A report::Page, which may be in colour, does the
// same with each of its texts. Files keep the words as they are.)

template <typename... Arguments>
void say(std::FILE* out, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  fmt::print(out, "{}", printable(fmt::format(text, std::forward<Arguments>(arguments)...)));
}

template <typename... Arguments>
void say(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  say(stdout, text, std::forward<Arguments>(arguments)...);
}

// Prints what `write` writes to a stream.
template <typename Write>
void print_text(const Write& write) {
  std::ostringstream out;
  write(out);
  std::cout << printable(out.str());
}

}  // namespace ptxlat::cli
