// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/catalogue.h"
#include "line/line.h"
#include "loops/loop.h"
#include "loops/measured_codes.h"
#include "results/record.h"

namespace ptxlat::loops {

// Copies of the same instruction in a body: as many as fill it, and a part of those. The body fits the innermost
// instruction cache: above about 4 KB warps drift apart.
struct Copies {
  int shorter = 0, longer = 0;
};
// For code of this many instructions; none if two copies do not fit.
Copies copies_of(std::size_t instructions);

// The numbers of warps at which schedulers differ.
std::vector<int> warps_of_curves();

// Two kernels whose loops have places for these copies, and the code to copy.
struct CopyLoops {
  Fillable shorter, longer;
};

bool are_assembled(const CopyLoops& loops);
// Why the two loops cannot be compared; empty if they can.
std::string why_not_comparable(const CopyLoops& loops);
// Whether that is because an assembler failed: another attempt may give two that can.
bool assembler_failed(const CopyLoops& loops);

// Shows codes in turn in the record, and measures them unless the same code has been measured.
//   turns  which of the loops' codes
void measure_copies(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                    const CopyLoops& loops, const Copies& copies, const std::vector<std::size_t>& turns,
                    MeasuredCodes& measured, results::Record& record);

}  // namespace ptxlat::loops
