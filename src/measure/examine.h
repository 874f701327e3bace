#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "measure/worker.h"
#include "ptx/experiment.h"
#include "sass/audit.h"
#include "sass/disassembler.h"

namespace ptxlat {

// One kernel after the assembler, the disassembler and the GPU have seen it.
//   name      in its module; empty for a kernel that the experiment has no use for
//   cubin     index into the batch's cubins; empty if rejected, then `log` says why
//   window    empty if there is none, then `log` says why
//   launch    empty if it was not run
struct Specimen {
  std::string name;
  std::optional<std::size_t> cubin;
  std::string log;
  std::optional<Window> window;
  StaticSchedule schedule;
  std::optional<LaunchOutcome> launch;
};

// The kernels of one experiment, as indices into a batch of specimens; -1 where there is none.
struct SpecimenIndices {
  int overhead = -1, bracket = -1, differential = -1, differential_base = -1, chain = -1, chain_twice = -1, bridge = -1;
};

// What the audits say about one experiment. A kernel without a window is `rejected` or `elided`, with the reason.
struct Findings {
  Audit overhead, bracket, differential_base, differential, chain, bridge;
};

// Unique kernels of a batch: kernels with the same text and the same operand values are one specimen, because they are
// one measurement.
class Batch {
 public:
  // Adds the kernels of an experiment. `label` goes into the names of those that are new.
  SpecimenIndices add(const Experiment& experiment, const std::string& label);

  // Assembles everything added since the last call, finds the windows and disassembles them. `header` as in
  // assemble_batch.
  void assemble(Assembler& assembler, Disassembler& disassembler, const std::string& header, const Target& target,
                int level);

  // Runs the kernels that are marked in `wanted` and assembled. Kernels of one cubin go to the GPU together.
  void launch(Worker& worker, const std::vector<bool>& wanted, int launches);

  const std::vector<Specimen>& specimens() const { return specimens_; }

 private:
  int add(const Kernel& kernel, const std::string& role, const std::string& label);
  void find_windows(Disassembler& disassembler, std::size_t first_cubin, std::size_t first_specimen);

  std::vector<Kernel> kernels_;
  std::vector<Specimen> specimens_;
  std::vector<Bytes> cubins_;
  std::size_t assembled_ = 0;
};

// Audits one experiment's windows.
Findings audit(const std::vector<Specimen>& specimens, const SpecimenIndices& indices, int steps);

}  // namespace ptxlat
