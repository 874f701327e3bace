// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "latency/audits.h"
#include "latency/experiment.h"
#include "latency/operand_path.h"
#include "line/batch.h"

namespace ptxlat::latency {

// Where the elapsed time of a window comes from: the GPU or the schedule.
enum class Source { measured, schedule };

// Which witness the headline comes from: the chain, if its steps are the machine code of the instruction alone, without
// a bridge, and do not branch; else the differential; else the chain.
enum class Headline { none, differential, chain };

// The inner time of a window: elapsed cycles minus the stall counts of the first clock read and the last instruction.
using InnerOf = std::function<std::optional<double>(Role)>;

// One experiment's numbers, from one source, each only from proven windows (docs/method.md, section 2).
//   path               of the variant's operand
//   leaves_out_beside  the differential is that of the path alone: the stall counts say how long the rest takes
struct Numbers {
  const Experiment& experiment;
  const line::Batch& batch;
  const TrialNumbers& trials;
  const Audits& audits;
  Source source;
  std::optional<sass::OperandPath> path = {};
  bool leaves_out_beside = false;

  bool leaves_something_out() const { return leaves_out_beside && path && !path->is_alone(); }
  // Null if the experiment has none.
  const line::MadeTrial* trial(Role role) const { return trials[role] ? &batch.trial(*trials[role]) : nullptr; }
  const line::AssembledKernel* kernel(Role role) const {
    return trials[role] ? &batch.kernel_of(*trials[role]) : nullptr;
  }

  std::optional<double> elapsed(Role role) const;
  std::optional<double> inner(Role role) const;
  // The stall counts at the edges of a window, which belong to neither side of a difference.
  int edges(Role role) const;
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
  // A step of the chain has instructions in addition to the one under test.
  bool chain_has_bridge() const;
  // Each step of the chain is the instruction alone on the same pipe: none takes turns with its like on another.
  bool chain_has_same_opcodes() const;
  // A step of the chain is the operand's path and nothing else.
  bool chain_is_path() const;
  // Why issue() has no number; empty if it has one, or if there is no stream.
  std::string why_no_issue() const;
  // How many more the longer stream has, beyond the instruction's: ptxas moves results out of the way.
  int moves_of_copies() const;
  // By the schedule, of copies of one machine instruction that come with moves: from one to the next without a move in
  // between. Empty if there are no such moves, or no such copies.
  std::optional<int> spacing_of_copies() const;

 private:
  std::optional<double> stream_difference() const;
};

Headline headline_of(const Numbers& numbers);
// Whether what is beside the operand's path took exactly its stall counts on the GPU: both windows took as long as they
// were scheduled, or it only brings constants and was over when the path began.
bool took_its_schedule_beside(const Numbers& measured);
// What is in the headline although it does not depend on the operand. Empty if nothing is, or if the path is unknown.
std::vector<std::string> beside_in(Headline headline, const Numbers& numbers);
// The windows that it is made of.
std::vector<Role> roles_behind(Headline headline, const Numbers& numbers);

// Empty if the assembler wrote no stall counts and leaves every wait to the hardware.
std::optional<double> scheduled(const sass::StaticSchedule& schedule);

}  // namespace ptxlat::latency
