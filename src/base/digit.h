// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ptxlat {

// Whatever the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace ptxlat
