// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/form.h"
#include "latency/audits.h"
#include "latency/experiment.h"
#include "line/batch.h"
#include "sass/path.h"

namespace ptxlat::latency {

// An operand's own path in the window of the differential, with its moves, and what is beside it there.
struct OperandPath {
  std::vector<std::string> opcodes;
  sass::BesidePath beside;
};
// Empty if the registers do not show it, if there is no consumer, or without optimisation, where a number is that of
// all instructions.
std::optional<OperandPath> path_of(const isa::Variant& variant, int level, const Experiment& experiment,
                                   const line::Batch& batch, const TrialNumbers& trials);

// Whether no operand reaches what the differential stores: the assembler has folded the instruction to a constant.
// False if the registers do not show it.
bool result_is_constant(const isa::Variant& variant, const Experiment& experiment, const line::Batch& batch,
                        const TrialNumbers& trials);

}  // namespace ptxlat::latency
