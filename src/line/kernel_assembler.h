// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "assemble/toolchain.h"
#include "ptx/kernel.h"

namespace ptxlat::line {

// A kernel and its name in a module; names are unique in a batch.
struct NamedKernel {
  std::string name;
  const ptx::Kernel* kernel = nullptr;
};

// Hash of everything that determines a kernel's machine code: its text and module texts.
std::uint64_t text_hash(const ptx::Kernel& kernel);

// How the line gets the machine code of a batch of kernels: by assembling it now, or from a bundle (bundle/bundle.h).
// An implementation is used by one thread at a time.
class KernelAssembler {
 public:
  virtual ~KernelAssembler() = default;
  // One outcome per kernel. A kernel's own errors are its outcome; throws an Error for anything else.
  virtual assemble::BatchOutcome assemble(const std::vector<NamedKernel>& kernels, int level) = 0;
  // As assemble::Assembler::origin.
  virtual assemble::CodeOrigin origin() { return {}; }
};

// Assembles the kernels as one module for `target`, in the newest PTX version that the toolchain accepts; those whose
// code depends on their neighbours, each as a module of its own.
std::unique_ptr<KernelAssembler> make_kernel_assembler(std::unique_ptr<assemble::Assembler> assembler,
                                                       const assemble::Toolchain& toolchain, const isa::Target& target);

}  // namespace ptxlat::line
