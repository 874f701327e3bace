// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/form.h"
#include "pairs/hazard_patch.h"
#include "ptx/kernel.h"
#include "ptx/readout.h"
#include "ptx/skeleton.h"
#include "results/record.h"

namespace ptxlat::pairs {

// An instruction and its consumer between two clocks, with places for other machine code (pairs/hazard_patch.h).
// Every pass reads operands of its own and stores what came of them in slots of its own: what a register holds from the
// pass before is a wrong value in this one. The launch has one warp for the passes, and further ones, which end at
// once, for their slots.
ptx::Trial hazard_trial(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const isa::Consumer& consumer);

// How many lanes of the passes of all launches count. The first pass does not: it finds a cold instruction cache, which
// delays the consumer.
int lanes_that_count(const ptx::Readout& readout);

// How many of them stored other values than those of `right`.
int wrong_lanes(const ptx::Readout& readout, const ptx::Readout& right);

// Cycles between the clocks of the last pass, the median of the launches.
double elapsed_of_hazard(const ptx::Readout& readout);

// Why the variant has no such kernel; empty if it has.
std::string why_no_hazard(const isa::Variant& variant);

// The results of one hazard's launches, distance by distance. `distances` are in cycles, in the order of the
// launches.
//   wrong    lanes with a wrong value at each distance
//   elapsed  cycles between the clocks at each distance; none if the launches faulted
//   shown    lanes that differ if the second writer comes first; 0 for a read
//   problem  why there are no launches; empty if there are
//   has_failed  whether the problem is a fault or a hang
struct HazardLadder {
  Hazard hazard = Hazard::read_after_write;
  std::vector<int> distances, wrong;
  std::vector<std::optional<double>> elapsed;
  int shown = 0;
  std::string problem;
  bool has_failed = false;
};

// The lowest distance at and above which no lane was wrong. Empty if the longest was wrong, or if a wrong value could
// not be seen: of a read, if the shortest distance was right; of a write, if the other order was.
std::optional<int> lowest_right(const HazardLadder& ladder);

// Whether a result under a scoreboard was right long before the wait for it ends, which is a few cycles after it is
// written: what its register held before is the same value.
//   waited  how long the consumer takes if it waits, in cycles, if that is known
bool is_too_early(const HazardLadder& ladder, std::optional<double> waited);

// Whether another form need not be tried: there is a lowest right distance of a read that is not too early, or it is
// known to be longer than all that fit.
bool is_settled(const std::vector<HazardLadder>& ladders, std::optional<double> waited);

// As series of a record, and back.
void put(results::Record& record, const HazardLadder& ladder);
std::vector<HazardLadder> ladders_of(const results::Record& record);

// Where a launch of a read may fault.
//   nowhere      it stores wrong values
//   old_address  at the consumer: what it reads is part of an address
enum class Fault { nowhere, old_address };

// Runs one arrangement of a hazard and returns what it stored.
using RunHazard = std::function<ptx::LaunchOutcome(Hazard hazard, Arrangement arrangement, int distance)>;

// Finds the lowest right distance of a hazard: from `start` down to the first wrong value; or up to the first right
// one, if `start` is too near. A fault or a hang ends it, with a problem, unless the fault shows that the consumer used
// an old address.
//   shortest  the distance at which it ends
HazardLadder climb(Hazard hazard, int start, Fault fault, const RunHazard& run, int shortest = 1);

}  // namespace ptxlat::pairs
