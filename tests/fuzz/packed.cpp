// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <stdexcept>

#include "fuzz.h"
#include "tables/compression.h"

namespace ptxlat::fuzz {

// The compressed files of a table. Their readers add the file's name to a std::runtime_error.
void packed(std::string_view input) {
  const std::string bytes(input);
  const std::function<void()> readers[] = {[&] { tables::gunzip(bytes); }, [&] { tables::unzstd(bytes); },
                                           [&] { tables::unzstd(bytes, bytes); }};
  for (const auto& read : readers) {
    try {
      read();
    } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): as above
    }
  }
}

}  // namespace ptxlat::fuzz
