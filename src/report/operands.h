// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/record.h"

namespace ptxlat::report {

// A row may have several operands: {"a", "b", "c"} for "a b c". One empty text if it has none.
std::vector<std::string_view> operands_of(std::string_view list);
std::string operand_list(const std::vector<std::string_view>& operands);

// Everything that must be equal in records that share a row of a table, as text: everything published except the
// operand, and the machine code and cycles of the windows behind their headline. A differential does not depend on the
// operand, so most operands of a form are one experiment.
std::string experiment_text(const results::Record& record);

// Merges records of one experiment into one, at the place of the first; `operand` and `recipe` have those of all. Every
// window is kept: a window that does not belong to all operands names its own.
std::vector<results::Record> with_merged_operands(std::vector<results::Record> records);

}  // namespace ptxlat::report
