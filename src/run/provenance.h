// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "assemble/toolchain.h"
#include "gpu/device.h"
#include "isa/target.h"
#include "results/run.h"

namespace ptxlat::run {

std::string tool_version();
std::string git_commit();  // "unknown" outside a checkout
std::string utc_now();     // ISO 8601
// As typed, without the program's folder.
std::string command_line();
// Environment variables that affect the driver's JIT, and ours.
std::map<std::string, std::string> relevant_environment();

// "NVIDIA H200" → "nvidia-h200": the folder of a GPU's tables.
std::string folder_name(const std::string& gpu);

// A run that begins now, and its table's name: the table's folder is named after the GPU, not after the assembler's
// target.
//   device  empty for a static table
results::Run begin_run(const assemble::Toolchain& toolchain, const isa::Target& target,
                       const std::optional<gpu::DeviceInfo>& device);

}  // namespace ptxlat::run
