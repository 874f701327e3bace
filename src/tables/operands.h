// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/record.h"

namespace ptxlat::tables {

// A row may have several operands: {"a", "b", "c"} for "a b c". One empty text if it has none.
std::vector<std::string_view> operands_of(std::string_view list);
std::string operand_list(const std::vector<std::string_view>& operands);

// Adds a name to such a list; an empty one is none.
void add_name(std::string& list, const std::string& name);

// A hash of everything that must be equal in records that share a row of a table: everything published except the
// operand, and the machine code and cycles of the windows behind their headline. A differential does not depend on the
// operand, so most operands of a form are one experiment.
std::array<std::uint64_t, 2> experiment_of(const results::Record& record);

// Merges records of one experiment into one; `operand` and `recipe` have those of all. Every window is kept: a window
// that does not belong to all operands names its own.
results::Record merged(std::vector<results::Record> records);

// A record whose latencies lie in two humps (docs/method.md, "Latencies that leave the SM") as two rows: they only
// differ in the numbers of the headline and in `input`, which ends with "near" or "far". Any other record unchanged.
std::vector<results::Record> humps_apart(results::Record record);

}  // namespace ptxlat::tables
