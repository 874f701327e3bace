// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "fuzz.h"
#include "run/probes.h"

namespace ptxlat::fuzz {

// A rule of a table, then a case; and the input as the case of good rules.
void predict(std::string_view input) {
  const auto parts = parts_of(input, 2);
  const auto tried = [](const run::PredictingQuantity& quantity, const std::string& rule, const std::string& line) {
    try {
      quantity.predict(rule, line);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it is not a rule, or not a case
    }
  };
  for (const auto& quantity : run::predicting_quantities()) {
    tried(quantity, parts[0], parts[1]);
    for (const char* rule : {"fallthrough_first", "banks=2 reads_per_cycle=1 counts_once=1 least=2"})
      tried(quantity, rule, parts[0]);
  }
}

}  // namespace ptxlat::fuzz
