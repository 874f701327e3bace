// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/nearest_names.h"
#include "isa/catalogue.h"

namespace ptxlat::isa {

// All mistakes so far; reading continues after a mistake, so that one run reports them all.
using Mistakes = std::vector<CatalogueMistake>;

inline void report(Mistakes& mistakes, SourceLocation where, std::string message) {
  mistakes.push_back({std::move(where), std::move(message)});
}

// "; did you mean \"type\"?", or nothing if no name is similar.
inline std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& names) {
  const auto nearest = nearest_names(wanted, names, 1);
  return nearest.empty() ? std::string{} : "; did you mean \"" + nearest.front() + "\"?";
}

}  // namespace ptxlat::isa
