// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "assemble/assembler.h"
#include "gpu/cuda_api.h"

namespace ptxlat::gpu {

// The cubin that the driver made when it loaded the last module; empty if it cannot be had.
using TakeCubin = std::function<Bytes()>;

// The driver's JIT, in two ways. Both need a current context.
//   device_sm   the current device's, the JIT's default target
//   level       0…4

// Loads the module as a program does, and unloads it again: whole-program code, for the device alone. The driver does
// this one module at a time in a process (method.md, trap 18).
assemble::ModuleOutcome jit_load(const CudaApi& api, int device_sm, const std::string& ptx, const isa::Target& target,
                                 int level, const TakeCubin& take_cubin);

// Links it without loading it: relocatable code, for any target.
assemble::ModuleOutcome jit_link(const CudaApi& api, int device_sm, const std::string& ptx, const isa::Target& target,
                                 int level);

}  // namespace ptxlat::gpu
