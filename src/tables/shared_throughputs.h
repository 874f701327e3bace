// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "results/record.h"
#include "tables/shared_rows.h"

namespace ptxlat::tables {

// The rows of throughput.csv.gz, and where each form has its own: as for latencies, forms of one opcode with the same
// machine code share those of one of them (tables/shared_rows.h). Without machine code, what is equal is why there is
// none.
//   records    in their order, without the code that they were compared by
//   spellings  in the order of the forms
struct SharedThroughputs {
  std::vector<results::Record> records;
  std::vector<Spelling> spellings;
};
SharedThroughputs share_throughputs(std::vector<results::Record> records);

// How many spellings each row stands for, its own among them.
std::map<std::string, std::size_t> spelling_counts(const std::vector<Spelling>& spellings);

}  // namespace ptxlat::tables
