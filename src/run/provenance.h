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
// As typed, but for the folder in which the program lies.
std::string command_line();
// Variables that change what the driver's JIT does, and ours.
std::map<std::string, std::string> relevant_environment();

// A run that begins now, and its table's name: a GPU is filed under what it is, not under what was assembled for it.
//   device  empty for a static table
results::Run begin_run(const assemble::Toolchain& toolchain, const isa::Target& target,
                       const std::optional<gpu::DeviceInfo>& device);

}  // namespace ptxlat::run
