#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "measure/kernel_assembler.h"
#include "measure/measured_code.h"
#include "measure/worker.h"
#include "ptx/experiment.h"
#include "sass/audit.h"
#include "sass/disassembler.h"

namespace ptxlat {

// One kernel after the assembler, the disassembler and the GPU have seen it.
//   form      for which it was made first
//   name      which tells what it is for
//   cubin     index into the batch's cubins; empty if rejected, then `log` says why
//   symbol    its name in the cubin
//   uses_memory  the kernel uses scratch memory
//   operand_loads  that the kernel's text makes before the first clock
//   window    empty if there is none, then `log` says why
//   code      empty where it may not share a measurement: its constants are not part of its instructions
//   launch    empty if it was not run
//   measured_as  the form for which the same machine code was run before; empty if it was run for this one
struct Specimen {
  std::string name;
  std::string form;
  std::optional<std::size_t> cubin;
  std::string symbol;
  std::string log;
  int operand_loads = 0;
  bool uses_memory = false;
  std::optional<Window> window;
  StaticSchedule schedule;
  std::optional<CodeKey> code;
  std::optional<LaunchOutcome> launch;
  std::string measured_as;
};

// The kernels of one experiment, as indices into a batch of specimens; empty where there is none.
using SpecimenIndices = ByRole<std::optional<std::size_t>>;

// What the audits say about one experiment. A kernel without a window is `rejected` or `elided`, with the reason.
// Chains and streams are audited as pairs: both have the same finding.
using Findings = ByRole<Audit>;

// Unique kernels of a batch: kernels with the same text and the same operand values are one specimen, because they are
// one measurement.
class Batch {
 public:
  // Adds the kernels of an experiment. `label` goes into the names of those that are new.
  SpecimenIndices add(const Experiment& experiment, const std::string& label);

  // Assembles everything added since the last call for an architecture (90 for sm_90a), finds the windows and
  // disassembles them.
  void assemble(KernelAssembler& assembler, Disassembler& disassembler, int sm, int level);

  // Runs the kernels that are marked in `wanted` and assembled, unless the same code has run before. Kernels of one
  // cubin go to the GPU together.
  void launch(Worker& worker, MeasuredCode& measured, const std::vector<bool>& wanted, int launches);

  const std::vector<Specimen>& specimens() const { return specimens_; }

 private:
  std::optional<std::size_t> add(const Kernel& kernel, const std::string& role, const std::string& label);
  KernelLaunch launch_of(std::size_t specimen) const;
  void find_windows(Disassembler& disassembler, int sm, std::size_t first_cubin, std::size_t first_specimen);

  std::vector<Kernel> kernels_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_text_;  // index of a kernel by its text_hash
  std::vector<Specimen> specimens_;
  std::vector<Bytes> cubins_;
  std::size_t assembled_ = 0;
};

// Audits the windows of one variant's experiment.
Findings audit(const std::vector<Specimen>& specimens, const SpecimenIndices& indices, const Variant& variant,
               const Experiment& experiment);

}  // namespace ptxlat
