// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/target.h"
#include "line/line.h"

namespace ptxlat::run {

// The measured card that is nearest to a target, for estimates without a GPU: of the tables that came with the program,
// one of the same architecture, else the one with the nearest number. None if no table has arrivals.csv, or for an
// architecture before Volta, whose instructions wait differently.
std::optional<line::NearestCard> nearest_card(const isa::Target& target);
// The same, or the card of this table's folder if one is named. Error{unknown_name} if that has no arrivals.csv.
std::optional<line::NearestCard> chosen_card(const std::string& folder, const isa::Target& target);

}  // namespace ptxlat::run
