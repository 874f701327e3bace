#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/record.h"

namespace ptxlat::report {

// A row may stand for several operands: {"a", "b", "c"} of "a b c". One empty text where it has none.
std::vector<std::string_view> operands_of(std::string_view list);
std::string operand_list(const std::vector<std::string_view>& operands);

// Whatever must be equal in records that are one row of a table, as text: all that is published of them but the
// operand, and the machine code and cycles of the windows that their headline was made of. A differential does not
// depend on the operand, so that most operands of a form are one experiment.
std::string experiment_text(const results::Record& record);

// Records that are one experiment as one, in the place of the first; `operand` and `recipe` have those of all. Every
// window is kept: one that is not of all operands names those that it is of.
std::vector<results::Record> with_merged_operands(const std::vector<results::Record>& records);

}  // namespace ptxlat::report
