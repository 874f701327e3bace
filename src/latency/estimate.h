// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "latency/audits.h"
#include "latency/experiment.h"
#include "latency/plan.h"
#include "line/batch.h"
#include "line/line.h"
#include "results/record.h"

namespace ptxlat::latency {

// Makes the record of a cell from one experiment: the witnesses, each only from proven windows, and the headline
// (latency/numbers.h).
//   measures  whether the trials were run. If not, the same formulas over stall counts give `static` and `issue`, and
//             there are no further metrics
//   survey    the repeated launches of the windows behind the headline (latency/samples.h); all empty if none was made
//   card      if nothing was measured, for the estimate beside the schedule's number; may be null
// An instruction that nothing can wait for has no `cycles`; it is proven by its stream.
results::Record estimate(const CellPlan& cell, const Experiment& experiment, const line::Batch& batch,
                         const TrialNumbers& trials, const Audits& audits, bool measures,
                         const TrialNumbers& survey = {}, const line::NearestCard* card = nullptr);

// The record of a cell that was not tried, with the reason.
results::Record record_without_experiment(const CellPlan& cell, sass::Verdict verdict, const std::string& note);

}  // namespace ptxlat::latency
