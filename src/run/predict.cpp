// SPDX-License-Identifier: Apache-2.0
#include "run/predict.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "memory/branch.h"
#include "pairs/register_banks.h"
#include "pairs/register_reuse.h"

namespace ptxlat::run {

const std::vector<PredictingQuantity>& predicting_quantities() {
  static const std::vector<PredictingQuantity> all{{"simt.two_way_rule", memory::predict_branch},
                                                   {"register.bank_rule", pairs::predict_registers},
                                                   {"register.reuse_rule", pairs::predict_reuse}};
  return all;
}

const PredictingQuantity& predicting_quantity(const std::string& quantity) {
  const auto& all = predicting_quantities();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.quantity == quantity; });
  if (found != all.end()) return *found;
  std::string known;
  for (const auto& one : all) known += fmt::format("{}{}", known.empty() ? "" : ", ", one.quantity);
  throw Error(ExitCode::unknown_name, fmt::format("{} is not a rule that predicts cases", quantity),
              fmt::format("Rules: {}.", known));
}

}  // namespace ptxlat::run
