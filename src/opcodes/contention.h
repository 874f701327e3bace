// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/form.h"
#include "opcodes/experiment.h"
#include "ptx/skeleton.h"
#include "results/store.h"

namespace ptxlat::opcodes {

// An opcode, and a form that becomes only this opcode.
//   interval   cycles between two such instructions in a sub-partition; empty if its throughput is unstable
//   is_paired  whether contention says something about its pipe. Not of accesses to memory: a warp issues in order, so
//              that none issues anything once the queue to memory is full, and any mix takes the sum. Nor of operands
//              of several registers (matrices): reading them holds up whatever is beside them
//   is_core    whether a form of the core becomes it
struct Opcode {
  std::string name;  // "IMAD.WIDE.U32"
  isa::Variant variant;
  std::optional<double> interval;
  bool is_paired = true;
  bool is_core = false;
};

// The throughput records of a single opcode, one for each opcode, sorted by name: one that cannot be paired only if
// there is none that can, and one whose throughput is unstable only if there is no better one. The forms are found in
// the catalogue.
std::vector<Opcode> opcodes_measured(const ptx::LoadedCatalogue& loaded, const std::vector<results::Record>& records);

// Which opcode represents each in pairs, by number: the shortest of those with the same name up to the first point and
// the same interval, unless only one of them names its pipe.
std::vector<std::size_t> representatives_of(const std::vector<Opcode>& opcodes);

// Those that a form of the core becomes, and those that represent others: what is found for each of these alone.
std::vector<Opcode> examined(const std::vector<Opcode>& opcodes);

// Two opcodes to run together.
struct ContentionPlan {
  Opcode a, b;
  int level = 3;
  std::string recipe;
};
results::CellKey key_of(const ContentionPlan& plan);
// All pairs of representatives that are paired.
std::vector<ContentionPlan> plan_contention(const ptx::LoadedCatalogue& loaded, const std::vector<Opcode>& opcodes,
                                            int level);

// Measures whether two opcodes contend: copies of both in one loop, enough of each to take equally long, compared with
// the same loop of instructions that do nothing (opcodes/pipes.h). As ThroughputMethod otherwise.
class ContentionMethod : public Experiment<ContentionPlan> {
 public:
  using Experiment::Experiment;
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;
};

}  // namespace ptxlat::opcodes
