#pragma once

#include <string>
#include <vector>

#include "machine/contention.h"
#include "results/opcode.h"
#include "results/record.h"

namespace ptxlat::machine {

// Everything about each opcode that a form became alone, in the order of their names.
//   opcodes     with what stands for each in pairs
//   throughput, contention, counters  records of these opcodes
//   latency     of a latency table at any level; may be empty
std::vector<results::Opcode> opcode_rows(const std::vector<Opcode>& opcodes,
                                         const std::vector<results::Record>& throughput,
                                         const std::vector<results::Record>& contention,
                                         const std::vector<results::Record>& counters,
                                         const std::vector<results::Record>& latency);

// The name of a pipe by what runs on it: "fma" has an FFMA, "alu" a LOP3. Where no member is known, the first member's
// own name up to its first point; where several are, all of theirs joined by "+".
std::string name_of_pipe(const std::vector<std::string>& members);

}  // namespace ptxlat::machine
