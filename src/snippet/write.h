// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "results/record.h"
#include "snippet/flow.h"
#include "snippet/method.h"

namespace ptxlat::snippet {

// What one toolchain gave: a record for each pair and level, level by level. Of a pair without a dependence it says so.
//   gpu         "NVIDIA H200"; empty where the numbers are the schedule's
//   throughput  of the whole snippet, a record for each level; empty where it was not asked for
struct Measured {
  std::string toolchain, target, gpu, nvrtc;
  const Snippet* snippet = nullptr;
  std::vector<results::Record> records;
  std::vector<results::Record> throughput = {};
};

// The record of a pair whose result does not depend on its source.
results::Record without_dependence(const Pair& pair, int level);

// Of what the assembler refused, adds where the instruction that its words name is in the user's text: their line is
// the kernel's.
void name_place(results::Record& record, const Snippet& snippet);

// A table for each toolchain; one for programs; and everything that is known, windows included (docs/measure.md).
void write_text(std::ostream& out, const std::vector<Measured>& measured);
void write_csv(std::ostream& out, const std::vector<Measured>& measured);
void write_json(std::ostream& out, const std::string& text, const std::vector<Measured>& measured);

}  // namespace ptxlat::snippet
