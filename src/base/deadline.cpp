// SPDX-License-Identifier: Apache-2.0
#include "base/deadline.h"

#include <cmath>
#include <cstdlib>

namespace ptxlat {

std::chrono::milliseconds scaled_deadline(std::chrono::milliseconds usual) {
  static const double factor = [] {
    const char* text = std::getenv("PTXLAT_DEADLINE_FACTOR");
    const double number = text != nullptr ? std::strtod(text, nullptr) : 1;
    return number >= 0.01 && number <= 1000 ? number : 1;
  }();
  return std::chrono::milliseconds(std::llround(factor * static_cast<double>(usual.count())));
}

}  // namespace ptxlat
