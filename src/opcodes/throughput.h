// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "isa/form.h"
#include "line/line.h"
#include "loops/measured_codes.h"
#include "ptx/skeleton.h"
#include "results/store.h"

namespace ptxlat::opcodes {

// Version of the rules that find, copy and measure. Bump it whenever they would give a different answer for the same
// kernels.
inline constexpr char machine_version[] = "machine 18";
// Versions whose records today's rules can read (curves.h). The oldest first.
inline constexpr std::array<std::string_view, 3> readable_versions = {"machine 15", "machine 16", machine_version};
// The same for what is measured of opcodes whose throughput is known: contention, operands, instructions in flight and
// counters. They change less often.
inline constexpr char opcodes_version[] = "machine 14";

// An instruction whose throughput should be measured: a form with its default class of values, at a level.
struct ThroughputPlan {
  isa::Variant variant;
  int level = 3;
  std::string recipe;
  std::size_t ptx_bytes = 0;
};
results::CellKey key_of(const ThroughputPlan& plan);
std::vector<ThroughputPlan> plan_throughput(const ptx::LoadedCatalogue& loaded,
                                            const std::vector<const isa::Form*>& forms, int level);

// Measures throughput: a stream proves what the instruction is, and copies of it in a loop are timed with every number
// of warps (loops/patch.h). The catalogue and the plan must outlive it; cells are indices into the plan. It launches
// patched code: the line's worker should serve nothing else.
//   known  the plan's records of earlier runs: the same code is not measured again
class ThroughputMethod : public line::Method {
 public:
  ThroughputMethod(const ptx::LoadedCatalogue& loaded, const std::vector<ThroughputPlan>& plan,
                   const std::vector<results::Record>& known = {})
      : loaded_(loaded), plan_(plan), measured_(known) {}
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  const ptx::LoadedCatalogue& loaded_;
  const std::vector<ThroughputPlan>& plan_;
  mutable loops::MeasuredCodes measured_;
};

}  // namespace ptxlat::opcodes
