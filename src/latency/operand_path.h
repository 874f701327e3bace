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

// The loads before the first clock of a kernel (ptx::Kernel::operand_loads) that are for the operand.
std::vector<int> loads_of(const std::vector<std::string>& operand_loads, const isa::Operand& operand);

// The path of the variant's operand in the window of the differential. Empty if the registers do not show it, if there
// is no consumer, or without optimisation, where a number is that of all instructions.
std::optional<sass::OperandPath> path_of(const isa::Variant& variant, int level, const Experiment& experiment,
                                         const line::Batch& batch, const TrialNumbers& trials);

// Whether no operand reaches what the differential stores: the assembler has folded the instruction to a constant.
// False if the registers do not show it.
bool result_is_constant(const isa::Variant& variant, const Experiment& experiment, const line::Batch& batch,
                        const TrialNumbers& trials);

}  // namespace ptxlat::latency
