// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "fuzz.h"
#include "report/gzip.h"
#include "report/zstd.h"

namespace ptxlat::fuzz {

// The compressed files of a table. Their readers add the file's name to a std::runtime_error.
void packed(std::string_view input) {
  for (const auto unpack : {report::gunzip, report::unzstd}) {
    try {
      unpack(std::string(input));
    } catch (const std::runtime_error&) {  // NOLINT(bugprone-empty-catch): as above
    }
  }
}

}  // namespace ptxlat::fuzz
