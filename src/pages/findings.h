// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <vector>

#include "results/opcode.h"
#include "results/record.h"

namespace ptxlat::pages {

// What a screen has of long results: the pipes with their opcodes; how the hazards of pairs compare with the schedules,
// and the pairs that the hardware needs longer apart than the assembler leaves them; the facts of probes.
void write_opcode_findings(std::ostream& out, const std::vector<results::Opcode>& opcodes);
void write_pair_findings(std::ostream& out, const std::vector<results::Pair>& pairs);
void write_probe_findings(std::ostream& out, const std::vector<results::Record>& records);

}  // namespace ptxlat::pages
