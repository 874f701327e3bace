#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "latency/audits.h"
#include "latency/experiment.h"
#include "line/batch.h"

namespace ptxlat::latency {

// Where the elapsed time of a window comes from: the GPU or the schedule.
enum class Source { measured, schedule };

// Which witness the headline is: the chain's, where its steps are the machine code of the instruction alone, without a
// bridge, and do not branch; else the differential's; else the chain's.
enum class Headline { none, differential, chain };

// The inner time of a window: elapsed cycles less what the schedule gave the first clock read and the last instruction.
using InnerOf = std::function<std::optional<double>(Role)>;

// One experiment's numbers, from one source, each only from proven windows (docs/method.md, section 2).
struct Numbers {
  const Experiment& experiment;
  const line::Batch& batch;
  const TrialNumbers& trials;
  const Audits& audits;
  Source source;

  // Null where the experiment has none.
  const line::MadeTrial* trial(Role role) const { return trials[role] ? &batch.trial(*trials[role]) : nullptr; }
  const line::AssembledKernel* kernel(Role role) const {
    return trials[role] ? &batch.kernel_of(*trials[role]) : nullptr;
  }

  std::optional<double> elapsed(Role role) const;
  std::optional<double> inner(Role role) const;
  // A witness' formula over the inner times of windows, proven or not.
  std::optional<double> value(Headline witness, const InnerOf& inner_of) const;
  // Whether the audits let the formula give a number.
  bool is_proven(Headline witness) const;
  std::optional<double> differential() const;
  std::optional<double> chain() const;
  // Cycles that one more copy of the instruction takes in a stream of them.
  std::optional<double> issue() const;
  std::optional<double> overhead() const;
  std::optional<double> bracket() const;
  // A step of the chain has instructions beside the one under test.
  bool chain_has_bridge() const;
  // Why there is no number of issue(); empty where there is one, or no stream.
  std::string why_no_issue() const;

 private:
  std::optional<double> stream_difference() const;
};

Headline headline_of(const Numbers& numbers);
// The windows that it is made of.
std::vector<Role> roles_behind(Headline headline, const Numbers& numbers);

// Nothing where the assembler has put no stall counts and leaves every wait to the hardware.
std::optional<double> scheduled(const sass::StaticSchedule& schedule);

}  // namespace ptxlat::latency
