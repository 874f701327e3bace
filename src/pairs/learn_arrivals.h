// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "results/opcode.h"
#include "results/record.h"
#include "sass/arrivals.h"

namespace ptxlat::pairs {

// When the results of opcodes arrive on the card of a latency table, from its proven windows above -O0: one row for
// each opcode whose results come under a scoreboard, or later than the assembler plans for. Sorted by opcode.
// A window tells the arrival of an opcode if nothing else in it is unknown: it is the one with which the window takes
// as long as it took. Of several the most frequent counts, and differentials with the usual values of their form before
// its chains, and these before windows with other values. Opcodes that then leave the SM have no row.
std::vector<results::ArrivalTime> learned_arrivals(const std::vector<results::Record>& latency);

sass::Arrivals arrivals_in(const std::vector<results::ArrivalTime>& rows);

}  // namespace ptxlat::pairs
