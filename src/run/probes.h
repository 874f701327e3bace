// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "line/line.h"
#include "probe/method.h"
#include "probe/probe.h"
#include "results/record.h"
#include "results/run.h"
#include "results/store.h"
#include "sass/disassembler.h"

namespace ptxlat::run {

// Probes to run with one toolchain.
struct ProbeJob {
  assemble::Toolchain toolchain;
  isa::Target target;
  results::Run run;  // as it begins
  std::vector<probe::ProbePlan> plan;
  std::unique_ptr<sass::Disassembler> disassembler;
  std::vector<std::unique_ptr<line::KernelAssembler>> assemblers;
};

//   wanted     the records of the plan
//   made       how many of these ran now
//   completed  false if it was interrupted; every finished probe is in the store
struct MadeProbes {
  results::Run run;
  std::vector<results::Record> wanted;
  std::size_t made = 0;
  bool completed = false;
};

// Runs the probes that the store does not have, one after another. `on_finished` is called with how many more of the
// plan are now in the store: once at the start, then after each; `on_log` as in ProbeMethod. Throws what run_line
// throws.
MadeProbes make_probes(ProbeJob& job, results::Store& store, worker::Worker& worker,
                       const std::atomic<bool>* interrupted, const std::function<void(std::size_t)>& on_finished,
                       const probe::OnLog& on_log = {});

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
