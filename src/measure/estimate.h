#pragma once

#include <optional>
#include <vector>

#include "isa/form.h"
#include "measure/examine.h"
#include "measure/plan.h"
#include "results/record.h"

namespace ptxlat {

// The most frequent elapsed time of several launches and its share of them. On an idle SM cycles are deterministic; a
// spread is a symptom (method.md, trap 16). Empty without samples. Of equally frequent values the smallest wins.
struct Mode {
  std::uint32_t cycles = 0;
  double share = 0;
};
std::optional<Mode> mode_of(const std::vector<Sample>& samples);

// What a window's launches say: the mode where it is the majority. What leaves the SM meets another clock domain, and
// no value has a majority then: the median, if all launches but the slowest, which may be the first, lie within a tenth
// of it; empty for a wider spread. Each launch of a kernel that uses memory finds other lines, and which slice of L2
// serves a line is not to be chosen: there the fastest launch stands for the nearest slice.
std::optional<double> elapsed_of(const std::vector<Sample>& samples, bool uses_memory);

// The widest spread in cycles, slowest launch aside, of the windows that a record's numbers come from; 0 on an idle SM.
double spread_of(const CellRecord& record);

// Makes the record of a cell from one experiment: the four witnesses, each only from proven windows, and the headline.
//   cycles  the chain's, where its steps are the same machine code as the instruction alone and do not branch; else the
//   differential's; else the chain's
// Without launches (`static`) the same formulas over stall counts give `static_cycles` and `issue`; all other numbers
// stay empty. An instruction that nothing can wait for has no `cycles`; it is proven by its stream.
CellRecord estimate(const CellPlan& cell, const Experiment& experiment, const std::vector<Specimen>& specimens,
                    const SpecimenIndices& indices, const Findings& findings);

// The record of a cell that was not tried, with the reason.
CellRecord record_without_experiment(const CellPlan& cell, Verdict verdict, const std::string& note);

}  // namespace ptxlat
