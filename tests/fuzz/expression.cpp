// SPDX-License-Identifier: Apache-2.0
#include "base/expression.h"

#include <stdexcept>

#include "fuzz.h"

namespace ptxlat::fuzz {

// Its callers name the probe and the place.
void expression(std::string_view input) {
  try {
    evaluate(input, {{"sms", 132}, {"l2_bytes", 52428800}, {"big", std::numeric_limits<std::int64_t>::max()}});
  } catch (const std::invalid_argument&) {  // NOLINT(bugprone-empty-catch): as above
  }
}

}  // namespace ptxlat::fuzz
