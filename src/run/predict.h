// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxlat::run {

// A quantity whose value is a rule that predicts cases.
//   predict  what the rule says of a case, one line of text; throws Error for a case or a rule that it does not know
struct PredictingQuantity {
  const char* quantity;
  std::string (*predict)(const std::string& rule, const std::string& text_of_case);
};
const std::vector<PredictingQuantity>& predicting_quantities();

// Error{unknown_name} for other quantities.
const PredictingQuantity& predicting_quantity(const std::string& quantity);

}  // namespace ptxlat::run
