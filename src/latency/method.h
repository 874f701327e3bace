// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "latency/plan.h"
#include "line/line.h"

namespace ptxlat::latency {

// Measures the latency and issue cost of instructions. The catalogue and the plan must outlive it; cells are indices
// into the plan.
class LatencyMethod : public line::Method {
 public:
  LatencyMethod(const ptx::LoadedCatalogue& loaded, const std::vector<CellPlan>& plan) : loaded_(loaded), plan_(plan) {}

  // Expanded, assembled and audited with each consumer in turn, then run together.
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  const ptx::LoadedCatalogue& loaded_;
  const std::vector<CellPlan>& plan_;
};

}  // namespace ptxlat::latency
