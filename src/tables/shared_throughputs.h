// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "results/opcode.h"
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

// Adds to each form's opcode, if it is alone, the other forms that share its row.
void note_spellings(std::vector<results::Opcode>& rows, const std::vector<Spelling>& spellings);

}  // namespace ptxlat::tables
