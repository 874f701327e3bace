#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assemble/toolchain.h"
#include "line/kernel_assembler.h"
#include "worker/worker.h"

namespace ptxlat::cli {

// "sm_90a" → {90, "a"}. Error{unknown_name} for anything else.
isa::Target target_from(const std::string& name);

// The driver as a toolchain, once the device has told its version.
assemble::Toolchain driver_toolchain(const gpu::DeviceInfo& device);

// The assemblers that `--toolchain` asks for, several separated by commas, out of those found here and the driver if
// there is one; the newest ptxas if it names none.
std::vector<assemble::Toolchain> chosen_toolchains(const std::string& wanted,
                                                   const std::optional<assemble::Toolchain>& driver);

// The target that this toolchain has for the one wanted: an older ptxas may know sm_90 and not sm_90a. Says so on
// standard error. Error{unknown_name} where a ptxas knows neither.
isa::Target target_of(const assemble::Toolchain& toolchain, const isa::Target& wanted);

// That of a GPU: from sm_90 on with the "a", which adds the instructions that only this very architecture has.
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

// Assemblers at work at a time: `wanted`, or where it is 0, two for each hardware thread, because one that waits for
// nvdisasm leaves its core idle.
int assembling_threads(int wanted);

}  // namespace ptxlat::cli
