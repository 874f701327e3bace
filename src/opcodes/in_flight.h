// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/form.h"
#include "opcodes/contention.h"
#include "opcodes/experiment.h"
#include "ptx/skeleton.h"
#include "results/store.h"

namespace ptxlat::opcodes {

// The numbers of independent chains in each warp that are tried.
inline constexpr int chains_to_try[] = {1, 2, 4, 8};

// An opcode, and a form that becomes only this opcode and can be its own next source.
struct InFlightPlan {
  std::string opcode;
  isa::Variant variant;
  int level = 3;
  std::string recipe;
};
results::CellKey key_of(const InFlightPlan& plan);

// One for each opcode that represents others in pairs, and has such a form among these throughput records.
std::vector<InFlightPlan> plan_in_flight(const ptx::LoadedCatalogue& loaded, const std::vector<Opcode>& opcodes,
                                         const std::vector<results::Record>& throughput, int level);

// Measures throughput against instructions in flight: chains of dependent copies, several side by side in each warp,
// with all numbers of warps. With one chain and one warp it is the latency.
class InFlightMethod : public Experiment<InFlightPlan> {
 public:
  using Experiment::Experiment;
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;
};

// The fewest instructions of an SM in flight, warps times chains, that reach the throughput within 3 %; empty if the
// record's series does not reach it.
//   throughput  results per cycle of an SM
std::optional<double> fewest_in_flight(const results::Record& record, double throughput);

}  // namespace ptxlat::opcodes
