// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "line/kernel_assembler.h"
#include "line/measured_code.h"
#include "ptx/kernel.h"
#include "sass/disassembler.h"
#include "sass/window.h"
#include "worker/worker.h"

namespace ptxlat::line {

// One kernel after assembly and disassembly.
//   name    in its module; says what it is for
//   cubin   index into the batch's cubins; empty if rejected, then `log` says why
//   symbol  its name in the cubin
//   window  empty if there is none, then `log` says why
//   assembler_failed  it has no verdict on the kernel (assemble/assembler.h), or its cubin cannot be read
//   operand_loads  how many Kernel::operand_loads there are
//   whole          as in Kernel
struct AssembledKernel {
  std::string name;
  std::optional<std::size_t> cubin;
  std::string symbol;
  std::string log;
  bool assembler_failed = false;
  std::optional<sass::Window> window;
  sass::StaticSchedule schedule;
  int operand_loads = 0;
  bool whole = false;
  std::optional<sass::KernelCode> code;  // empty if trials may not share a measurement: see MadeTrial
};

// A finished trial: the kernel that it launches, and the result.
//   form         for which it was made first
//   launches     number of runs; 0: as many as the line says
//   code         empty if it may not share a measurement: its constants are not part of its instructions
//   outcome      empty if it was not run
//   measured_as  the form for which the same measurement was made before; empty if it was run for this one
struct MadeTrial {
  ptx::Launch launch;
  int launches = 0;
  std::string form;
  std::size_t kernel = 0;
  std::optional<CodeKey> code;
  std::optional<ptx::LaunchOutcome> outcome;
  std::string measured_as;
};

// How often a trial is launched if the line's default is `by_default`.
int launches_of(const MadeTrial& trial, int by_default);

// As many kernels as there are.
inline constexpr auto one_module = std::numeric_limits<std::size_t>::max();

// The trials of a chunk's cells. Trials with equal kernels are assembled once; those that are launched alike as well
// are one trial, because they are one measurement.
class Batch {
 public:
  Batch() = default;
  // A finished batch, for readers: nothing can be added.
  Batch(std::vector<AssembledKernel> kernels, std::vector<MadeTrial> trials)
      : kernels_(std::move(kernels)), trials_(std::move(trials)) {}

  // Adds a trial, or finds the equal one. `label` goes into the kernel's name if it is new. Returns its number.
  std::size_t add(const ptx::Trial& trial, const std::string& label);

  // Assembles everything added since the last call for an architecture (90 for sm_90a), as modules of at most so many
  // kernels, finds the windows and disassembles them.
  void assemble(KernelAssembler& assembler, sass::Disassembler& disassembler, int sm, int level,
                std::size_t kernels_per_module = one_module);

  // Runs the trials that are marked in `wanted` and assembled, unless the same code has run before. Kernels of one
  // cubin go to the GPU together.
  void launch(worker::Worker& worker, MeasuredCode& measured, const std::vector<bool>& wanted, int launches);

  // As if nothing had been launched.
  void forget_outcomes();

  std::size_t size() const { return trials_.size(); }
  const MadeTrial& trial(std::size_t number) const { return trials_[number]; }
  const Bytes& cubin_of(std::size_t number) const { return cubins_[*kernel_of(number).cubin]; }
  const AssembledKernel& kernel_of(std::size_t number) const { return kernels_[trials_[number].kernel]; }

 private:
  std::size_t add(const ptx::Kernel& kernel, const std::string& role, const std::string& label);
  void assemble_module(KernelAssembler& assembler, int level, std::size_t first, std::size_t count);
  void find_windows(sass::Disassembler& disassembler, int sm, std::size_t first_cubin);

  std::vector<ptx::Kernel> texts_;
  std::vector<AssembledKernel> kernels_;  // of each text
  std::vector<MadeTrial> trials_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_text_;  // index of a kernel
  std::unordered_multimap<std::size_t, std::size_t> by_kernel_;  // a kernel's trials
  std::vector<Bytes> cubins_;
  std::size_t assembled_ = 0;  // kernels
};

}  // namespace ptxlat::line
