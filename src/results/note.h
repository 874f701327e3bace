// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ptxlat::results {

// Adds words to a note, after a semicolon if it has some already. Does nothing if there are none.
inline void add_note(std::string& note, std::string_view words) {
  if (words.empty()) return;
  if (!note.empty()) note += "; ";
  note += words;
}

}  // namespace ptxlat::results
