#pragma once

#include <string>
#include <vector>

#include "isa/form.h"
#include "line/line.h"
#include "ptx/skeleton.h"
#include "results/store.h"

namespace ptxlat::machine {

// An opcode, and how it can be had: the form that became it and nothing else.
//   interval  cycles between two of them in a sub-partition
struct Opcode {
  std::string name;  // "IMAD.WIDE.U32"
  isa::Variant variant;
  double interval = 0;
};

// Of records of throughput those that are one opcode each, one for each opcode, in the order of their names. The forms
// are found in the catalogue.
std::vector<Opcode> opcodes_measured(const ptx::LoadedCatalogue& loaded, const std::vector<results::Record>& records);

// Which opcode stands for each in pairs: the shortest of those with the same name up to the first point and the same
// interval. Numbers of opcodes.
std::vector<std::size_t> representatives_of(const std::vector<Opcode>& opcodes);

// Two opcodes that are to be had at once.
struct PairPlan {
  Opcode a, b;
  int level = 3;
  std::string recipe;
};
results::CellKey key_of(const PairPlan& plan);
// All pairs of representatives.
std::vector<PairPlan> plan_pairs(const ptx::LoadedCatalogue& loaded, const std::vector<Opcode>& opcodes, int level);

// Measures whether two opcodes meet: copies of both in one loop, as many of each as take equally long, against the same
// loop with nothing in it (machine/pipes.h). As ThroughputMethod otherwise.
class ContentionMethod : public line::Method {
 public:
  ContentionMethod(const ptx::LoadedCatalogue& loaded, const std::vector<PairPlan>& plan)
      : loaded_(loaded), plan_(plan) {}
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  const ptx::LoadedCatalogue& loaded_;
  const std::vector<PairPlan>& plan_;
};

}  // namespace ptxlat::machine
