// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxlat {

// Ends the test case that calls it, as neither passed nor failed, and says what is missing here. Checks that failed
// before still fail the case. A program in which every case that ran was skipped exits with 4 (support/catch_main.cpp).
[[noreturn]] void skip(const std::string& reason);

}  // namespace ptxlat
