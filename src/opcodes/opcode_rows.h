// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "opcodes/contention.h"
#include "results/opcode.h"
#include "results/record.h"

namespace ptxlat::opcodes {

// The records of some opcodes.
//   latency  of a latency table at any level; may be empty
struct OpcodeRecords {
  std::span<const results::Record> throughput, contention, counters, operand_costs, in_flight, latency;
};

// Everything about each opcode that some form becomes alone, sorted by name.
//   spellings  how many each form stands for: itself, and those with the same machine code
using SpellingCounts = std::map<std::string, std::size_t>;
std::vector<results::Opcode> opcode_rows(const std::vector<Opcode>& opcodes, const OpcodeRecords& records,
                                         const SpellingCounts& spellings = {});

// The latencies to consumers on each pipe, and hazards, from the pairs of the same table.
void add_pairs(std::vector<results::Opcode>& rows, const std::vector<results::Pair>& pairs);

// The name of a pipe from its members: "fma" has an FFMA, "alu" a LOP3. If no member is known, the first member's own
// name up to its first point; if several are, all their names joined by "+".
std::string name_of_pipe(const std::vector<std::string>& members);

}  // namespace ptxlat::opcodes
