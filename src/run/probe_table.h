// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "probe/probe.h"
#include "results/record.h"

namespace ptxlat::run {

// Reads the facts of a table's folder off its series and logs by the current rules again, writes them there, and
// returns the records. Error{storage} if it has no probes.
std::vector<results::Record> reread_probes(const std::filesystem::path& folder,
                                           const std::vector<probe::Probe>& probes);

// The value of a rule in these folders, which must agree. Error{usage} if they do not, Error{storage} if none has it.
std::string rule_in_tables(const std::vector<std::filesystem::path>& folders, const std::string& quantity);

// The folders below this one that have probes, sorted.
std::vector<std::filesystem::path> folders_with_probes(const std::filesystem::path& folder);

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
