// SPDX-License-Identifier: Apache-2.0
#include "base/deadline.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/error.h"

namespace ptxlat {

double deadline_factor() {
  const char* set = std::getenv("PTXLAT_DEADLINE_FACTOR");
  const std::string_view text = set != nullptr ? set : "";
  if (text.empty()) return 1;
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error == std::errc() && end == text.data() + text.size() && factor >= 0.01 && factor <= 1000) return factor;
  throw Error(ExitCode::usage, fmt::format("PTXLAT_DEADLINE_FACTOR is \"{}\"", text),
              "It must be a number from 0.01 to 1000; 1 is usual.");
}

std::chrono::milliseconds scaled_deadline(std::chrono::milliseconds usual) {
  static const double factor = deadline_factor();
  return std::chrono::milliseconds(std::llround(factor * static_cast<double>(usual.count())));
}

}  // namespace ptxlat
