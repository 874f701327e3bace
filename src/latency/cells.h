// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "latency/audits.h"
#include "latency/experiment.h"
#include "latency/plan.h"
#include "line/line.h"
#include "results/record.h"

namespace ptxlat::latency {

// One cell on its way down the line.
struct CellWork {
  const CellPlan* plan = nullptr;
  std::vector<const isa::Consumer*> consumers;
  std::optional<Experiment> experiment;  // the best so far
  TrialNumbers trials;
  Audits audits;
  std::optional<int> scheduled_cycles;                // of its differential
  const isa::Consumer* conflicting = nullptr;         // the nearest that only lacks registers of different banks
  std::optional<int> conflicting_cycles = {};         // as scheduled
  bool is_settled = false;                            // no further consumer is worth trying
  results::Record record;                             // once it is finished
  std::vector<results::Record> further_records = {};  // of the other GPUs, if it leaves the SM
};

// Why the bench's toolchain and target cannot have the form with this class of values; empty if they can.
std::string why_unsupported(const line::Bench& bench, const isa::Variant& variant);

// Adds an experiment's trials to the bench's batch.
TrialNumbers add_trials(line::Bench& bench, const Experiment& experiment, const std::string& label);

// Cells of the bench's level, from the catalogue to their records: expanded, assembled and audited with each consumer
// in turn, then run together. Their trials are in the bench's batch.
//   is_for_gpu  with the streams of a run on a GPU, even if this bench has none
std::vector<CellWork> make_cells(const ptx::LoadedCatalogue& loaded, line::Bench& bench,
                                 const std::vector<const CellPlan*>& plans, bool is_for_gpu = false);

// Moves a finished cell's records to the end of the list.
void take_records(CellWork& cell, std::vector<results::Record>& records);

}  // namespace ptxlat::latency
