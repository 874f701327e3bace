// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "isa/form.h"
#include "latency/experiment.h"
#include "line/batch.h"
#include "sass/audit.h"

namespace ptxlat::latency {

// The trials of one experiment, by their numbers in a batch; empty if there is none.
using TrialNumbers = ByRole<std::optional<std::size_t>>;

// The audits of one experiment. A kernel without a window is `rejected` or `elided`, with the reason.
// Chains and streams are audited as pairs: both have the same audit.
using Audits = ByRole<sass::Audit>;

// Whether the second clock of any window waits for a register (sass/hidden_waits.h). For streams, only the end counts.
bool any_clock_waits(const line::Batch& batch, const TrialNumbers& trials);

// Whether any trial was assembled but has no window: its clock reads are not two reads by the same instruction.
bool any_window_is_missing(const line::Batch& batch, const TrialNumbers& trials);

// Audits the windows of one variant's experiment.
Audits audit(const isa::Catalogue& catalogue, const line::Batch& batch, const TrialNumbers& trials,
             const isa::Variant& variant, int level, const Experiment& experiment);

}  // namespace ptxlat::latency
