// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/form.h"
#include "line/line.h"
#include "loops/measured_codes.h"
#include "pairs/hazard_kernel.h"
#include "pairs/hazard_patch.h"
#include "ptx/skeleton.h"
#include "results/store.h"

namespace ptxlat::pairs {

// Version of the rules that find, patch and measure. Bump it whenever they would give a different answer for the same
// kernels.
inline constexpr char hazard_version[] = "hazard 8";

// A form with a consumer of its result, at a level.
//   is_first  it is the form's first consumer
struct HazardPlan {
  isa::Variant variant;
  const isa::Consumer* consumer = nullptr;
  bool is_first = true;
  int level = 3;
  std::string recipe;
  std::size_t ptx_bytes = 0;
};
results::CellKey key_of(const HazardPlan& plan);
// Each form that has such a kernel, with every consumer of its result.
std::vector<HazardPlan> plan_hazards(const ptx::LoadedCatalogue& loaded, const std::vector<const isa::Form*>& forms,
                                     int level);

// Where a pair is launched first, in cycles: as in the code without places, if it has the pair, but not so near that a
// wait of the consumer is missed.
int first_distance(const HazardCode& code, std::optional<int> scheduled);

// Each launch that faults or hangs costs a process, and that a second. After many, what may fail again is no longer
// run: producers that have failed, and results that become addresses.
inline constexpr int most_failed_launches = 80;
class FailedLaunches {
 public:
  void add(const std::string& producer) { producers_.insert(producer), ++count_; }
  bool forbid(const std::string& producer, bool becomes_address) const {
    return count_ >= most_failed_launches && (becomes_address || producers_.contains(producer));
  }

 private:
  int count_ = 0;
  std::set<std::string> producers_;
};

// Measures hazards: the producer's stall count is patched down until a lane gets a wrong value. The catalogue and the
// plan must outlive it; cells are indices into the plan. It launches patched code: the line's worker should serve
// nothing else.
class HazardMethod : public line::Method {
 public:
  HazardMethod(const ptx::LoadedCatalogue& loaded, const std::vector<HazardPlan>& plan)
      : loaded_(loaded), plan_(plan) {}
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  // The ladders that were climbed, also put into the record.
  std::vector<HazardLadder> measure(line::Bench& bench, std::size_t trial, const HazardCode& code,
                                    results::Record& record) const;
  std::vector<HazardLadder> climb_all(const HazardCode& code, int start, Fault fault, const RunHazard& run,
                                      results::Record& record) const;
  // Whether the second of these opcodes is known as one that overwrites the first one's result. It does not read it, so
  // there are no slots.
  bool is_overwritten(const std::vector<std::string>& opcodes) const;
  void keep_overwritten(const std::vector<std::string>& opcodes) const;
  // Why the code is not to be run; empty if it is.
  std::string why_not_run(const HazardPlan& plan, const HazardCode& code, const std::string& producer) const;
  // Whether another form with this key has a hazard, or enough were tried; then the record gets its result.
  bool knows(const std::string& key, results::Record& record) const;
  void keep(const std::string& key, const std::vector<HazardLadder>& ladders, const results::Record& record) const;

  const ptx::LoadedCatalogue& loaded_;
  const std::vector<HazardPlan>& plan_;
  mutable std::mutex mutex_;
  // By opcodes and slot: with a hazard or tried often enough, and how often that was.
  mutable std::map<std::string, results::Record> measured_;
  mutable std::map<std::string, int> tries_;
  mutable loops::OneAtATime by_key_;
  mutable std::set<std::vector<std::string>> overwritten_;
  mutable FailedLaunches failed_;
};

}  // namespace ptxlat::pairs
