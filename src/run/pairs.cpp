// SPDX-License-Identifier: Apache-2.0
#include "run/pairs.h"

#include <iterator>

#include "machine/hazards.h"
#include "machine/register_cases.h"
#include "run/opcode_stages.h"

namespace ptxlat::run {

namespace {

constexpr std::size_t text_of_registers = 5 * 5000;  // approximate, in bytes, of five kernels

// The experiment with register numbers is a single cell, which one GPU makes beside the hazards: alone, it would keep
// all others waiting. Its number follows those of the hazards.
class PairMethod : public line::Method {
 public:
  PairMethod(const machine::HazardMethod& hazards, const machine::RegisterMethod& registers, std::size_t number)
      : hazards_(hazards), registers_(registers), number_(number) {}

  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override {
    const std::size_t registers = chunk.front().number == number_ ? 1 : 0;  // it is the first cell of all
    auto records = registers_.make(bench, chunk.first(registers));
    bench.begin_cell();
    auto of_hazards = hazards_.make(bench, chunk.subspan(registers));
    std::move(of_hazards.begin(), of_hazards.end(), std::back_inserter(records));
    return records;
  }

 private:
  const machine::HazardMethod& hazards_;
  const machine::RegisterMethod& registers_;
  std::size_t number_;
};

}  // namespace

MadePairs make_pairs(OpcodeJob& job, results::Store& store, const std::atomic<bool>* interrupted,
                     const OpcodeProgress& progress) {
  Stages stages(job, store, interrupted, progress);
  MadePairs made;
  const std::vector registers{machine::plan_registers(job.loaded, job.level)};
  const auto hazards = machine::plan_hazards(job.loaded, job.forms, job.level);
  std::vector<line::Cell> cells{{hazards.size(), job.level, text_of_registers}};
  for (std::size_t i = 0; i < hazards.size(); ++i) cells.push_back({i, hazards[i].level, hazards[i].ptx_bytes});
  auto keys = keys_of(hazards);
  keys.push_back(key_of(registers.front()));
  const machine::HazardMethod of_hazards(job.loaded, hazards);
  const machine::RegisterMethod of_registers(job.loaded, registers.front());
  made.completed = stages.make("register banks and hazards", cells, keys,
                               PairMethod(of_hazards, of_registers, hazards.size()), job.workers);
  made.registers = stages.stored(registers);
  if (made.completed) made.hazards = stages.stored(hazards);
  made.run = stages.runs().of(0);
  return made;
}

}  // namespace ptxlat::run
