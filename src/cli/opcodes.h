// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "ptx/skeleton.h"
#include "report/opcode_files.h"

namespace ptxlat::cli {

// Writes the results of the current rules for the records, next to the latencies of the same folder.
//   format  "text": the rows also go to standard output
void write_opcodes(const std::filesystem::path& folder, const ptx::LoadedCatalogue& loaded, report::OpcodeFiles files,
                   const std::string& format);

}  // namespace ptxlat::cli
