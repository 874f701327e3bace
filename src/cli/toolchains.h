// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assemble/toolchain.h"
#include "cuda/functions.h"
#include "line/kernel_assembler.h"
#include "worker/worker.h"

namespace ptxlat::cli {

// "sm_90a" → {90, "a"}. Error{unknown_name} for anything else.
isa::Target target_from(const std::string& name);
// The same where no assembler will say that it does not know it.
isa::Target known_target_from(const std::string& name);

// The driver as a toolchain, with the device's driver version.
assemble::Toolchain driver_toolchain(const gpu::DeviceInfo& device);

// The assemblers that `--toolchain` names, separated by commas, from those on this machine and the driver if there is
// one; the newest ptxas if it names none.
std::vector<assemble::Toolchain> chosen_toolchains(const std::string& wanted,
                                                   const std::optional<assemble::Toolchain>& driver);

// This toolchain's target for the requested one: an older ptxas may know sm_90 but not sm_90a. Says so on standard
// error. Error{unknown_name} if a ptxas knows neither.
isa::Target target_of(const assemble::Toolchain& toolchain, const isa::Target& wanted);

// The toolchains with which to measure on a GPU; the driver if `wanted` names none, but the newest ptxas if no nvdisasm
// here reads what the driver makes. Says so on standard error.
std::vector<assemble::Toolchain> toolchains_for(const std::string& wanted, const gpu::DeviceInfo& device);

// A GPU's target: from sm_90 on with the "a", which adds the architecture-specific instructions. If a ptxas does not
// know the GPU, the newest target of the same major number, whose code runs on it (run::warnings_about_target).
// Error{missing_tool} if there is none.
isa::Target target_of(const assemble::Toolchain& toolchain, const gpu::DeviceInfo& device);

worker::WorkerOptions worker_options(int device);

// One assembler of this toolchain for each of `threads`; the second for the line.
std::vector<std::unique_ptr<assemble::Assembler>> make_assemblers(const assemble::Toolchain& toolchain,
                                                                  const worker::WorkerOptions& options, int threads);
std::vector<std::unique_ptr<line::KernelAssembler>> make_kernel_assemblers(const assemble::Toolchain& toolchain,
                                                                           const isa::Target& target,
                                                                           const worker::WorkerOptions& options,
                                                                           int threads);

// Error{unknown_name} for a level that toolchains of this kind do not have.
void require_levels(const std::vector<int>& levels, assemble::ToolchainKind kind);

// How many assemblers work at the same time: `wanted`, or if it is 0, two for each hardware thread, because one that
// waits for nvdisasm leaves its core idle.
int assembling_threads(int wanted);

// Compiles those of `forms` that are CUDA C for an assembler and a target, with the assembler's NVRTC, in a worker
// process. If there is no such NVRTC, that is each form's problem, with what to do. Does not look for NVRTC if no form
// is CUDA C.
cuda::CudaFunctions compile_cuda(const std::vector<const isa::Form*>& forms, const assemble::Toolchain& assembler,
                                 const isa::Target& target);

// A program of CUDA C++ as PTX with the lines that it comes from, by the same NVRTC. Error{missing_tool} if there is
// none, Error{usage} with the compiler's messages if it does not compile.
struct CompiledSource {
  std::string ptx, compiler;
};
CompiledSource compile_source(const std::string& program, const std::string& name, const assemble::Toolchain& assembler,
                              const isa::Target& target);

}  // namespace ptxlat::cli
