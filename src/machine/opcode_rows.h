// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "machine/contention.h"
#include "results/opcode.h"
#include "results/record.h"

namespace ptxlat::machine {

// Everything about each opcode that some form becomes alone, sorted by name.
//   opcodes     with the representative of each in pairs
//   throughput, contention, counters  records of these opcodes
//   latency     of a latency table at any level; may be empty
std::vector<results::Opcode> opcode_rows(const std::vector<Opcode>& opcodes,
                                         const std::vector<results::Record>& throughput,
                                         const std::vector<results::Record>& contention,
                                         const std::vector<results::Record>& counters,
                                         const std::vector<results::Record>& latency);

// The name of a pipe from its members: "fma" has an FFMA, "alu" a LOP3. If no member is known, the first member's own
// name up to its first point; if several are, all their names joined by "+".
std::string name_of_pipe(const std::vector<std::string>& members);

}  // namespace ptxlat::machine
