// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "opcodes/contention.h"
#include "opcodes/experiment.h"
#include "results/store.h"

namespace ptxlat::opcodes {

// Where an instruction's operand comes from, if not from its own register of each lane.
//   constant   its last source is a constant, c[][]
//   immediate  its last source is in the instruction
//   uniform    its last source is a uniform register
//   predicate  a predicate, which is true, guards it
enum class OperandKind { constant, immediate, uniform, predicate };
const char* to_string(OperandKind kind);

struct OperandPlan {
  Opcode opcode;
  OperandKind kind = OperandKind::constant;
  int level = 3;
  std::string recipe;
};
results::CellKey key_of(const OperandPlan& plan);

// All kinds for each opcode that is examined and whose form has such an operand.
std::vector<OperandPlan> plan_operands(const ptx::LoadedCatalogue& loaded, const std::vector<Opcode>& opcodes,
                                       int level);

// Measures the interval of each opcode with a different kind of operand, from copies in a loop as in
// opcodes/throughput.h, and subtracts the opcode's interval. It launches patched code: the line's worker should serve
// nothing else.
class OperandCostMethod : public Experiment<OperandPlan> {
 public:
  using Experiment::Experiment;
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;
};

// The cost of a record, with the current rules: an operand never makes an instruction faster, but the address of a
// surface that is the same for all lanes does.
void read_cost_again(results::Record& record);

// The text of an instruction shows this kind of operand: "FFMA R1, R2, R3, c[0x0][0x210]".
bool has_operand(const std::string& instruction, OperandKind kind);

}  // namespace ptxlat::opcodes
