// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assemble/assembler.h"
#include "latency/plan.h"
#include "line/line.h"
#include "results/record.h"

namespace ptxlat::latency {

// A kernel behind the numbers of some cells, as the line launches it.
//   symbol         its name in the cubin
//   uses_objects   it needs an object that the host makes: a texture, a surface, a tensor map
//   leaves_the_sm  if its launches differ, it is launched again for a survey (latency/samples.h)
//   code           its machine code and the audit's result
struct ReproducedWindow {
  std::string symbol;
  ptx::Launch launch;
  int launches = 0;
  bool uses_objects = false;
  results::WindowRecord code;
};

// A number as a formula over the elapsed cycles of windows: constant + Σ factor × cycles.
//   tag          of a results::MetricKind
//   by_schedule  the same over stall counts; empty if the assembler wrote none
struct Term {
  std::size_t window = 0;
  double factor = 0;
};
struct ReproducedNumber {
  std::string_view tag;
  std::vector<Term> terms;
  double constant = 0;
  std::optional<double> by_schedule;
  bool schedule_is_lower_bound = false;
};

// A cell, with the numbers that its audits allow.
//   record   as in a static table, with the reason if there is no number
//   copies   of the instruction in its shorter stream; 0 without streams
//   beside   by its stall counts, what is in the differential beside the operand's path: a number with the flag
//   own_path
//            leaves it out
struct ReproducedCell {
  results::Record record;
  int copies = 0;
  double beside = 0;
  std::vector<ReproducedNumber> numbers;
};

// Everything that is needed to run cells without ptxlat: one module with every window.
struct Reproduction {
  std::string ptx;
  Bytes cubin;
  std::vector<ReproducedWindow> windows;
  std::vector<ReproducedCell> cells;
};

// Sends the cells, all of one level, down the line without its GPU, like those of a table, and assembles the chosen
// windows again, alone in one module. `line` must have no worker; its number of launches applies to windows that do not
// specify one. Error{failure} if the assembler now rejects what it accepted before.
Reproduction reproduce(const ptx::LoadedCatalogue& loaded, const line::Line& line,
                       std::unique_ptr<assemble::Assembler> assembler, const std::vector<CellPlan>& plan);

}  // namespace ptxlat::latency
