// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxlat::isa {

// Without spaces and tabs at its ends.
inline std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace ptxlat::isa
