// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "line/line.h"
#include "loops/patch.h"
#include "ptx/skeleton.h"
#include "results/store.h"

namespace ptxlat::opcodes {

// The record of a planned experiment with these opcodes, before anything else is known.
template <class Plan>
results::Record begun_with(const Plan& plan, std::vector<std::string> opcodes) {
  auto record = results::record_of(key_of(plan));
  record.sass_count = static_cast<int>(opcodes.size());
  record.sass = std::move(opcodes);
  return record;
}

// An experiment on opcodes. Cells are numbers of the plan, which must outlive it, as the catalogue must.
template <class Plan>
class Experiment : public line::Method {
 public:
  Experiment(const ptx::LoadedCatalogue& loaded, const std::vector<Plan>& plan) : loaded_(loaded), plan_(plan) {}

 protected:
  // The records of a chunk, whose kernels are one module: `add` adds a cell's trials to the bench and returns them, and
  // `measure` reads them when they are assembled.
  template <class Begin, class Add, class Measure>
  std::vector<results::Record> make_each(line::Bench& bench, std::span<const line::Cell> chunk, const Begin& begin,
                                         const Add& add, const Measure& measure) const {
    std::vector<results::Record> records;
    std::vector<decltype(add(plan_.front(), records.front()))> trials;
    for (const auto& cell : chunk) {
      records.push_back(begin(plan_[cell.number]));
      trials.push_back(add(plan_[cell.number], records.back()));
    }
    bench.assemble(loops::kernels_per_module);
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      bench.begin_cell();
      measure(plan_[chunk[i].number], trials[i], records[i]);
      records[i].gpu = bench.gpu();
    }
    return records;
  }

  const ptx::LoadedCatalogue& loaded_;
  const std::vector<Plan>& plan_;
};

}  // namespace ptxlat::opcodes
