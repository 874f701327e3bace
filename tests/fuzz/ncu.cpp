// SPDX-License-Identifier: Apache-2.0
#include "counters/ncu.h"

#include "fuzz.h"

namespace ptxlat::fuzz {

void ncu(std::string_view input) {
  expect_end_or_error([](std::string_view output) { counters::counts_in(std::string(output), {"alu", "xu"}); }, input);
}

}  // namespace ptxlat::fuzz
