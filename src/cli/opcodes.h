// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "ptx/skeleton.h"
#include "tables/opcode_appearances.h"
#include "tables/opcode_files.h"
#include "tables/table.h"

namespace ptxlat::cli {

// What the rows of opcodes take from latencies: the table of the same GPU and assembler, empty if there is none, and
// where opcodes appear in it and in those beside it.
struct FoundLatencies {
  tables::Table table;
  tables::OpcodeAppearances appearances;
};
FoundLatencies find_latencies(const std::filesystem::path& folder);

// Writes the results of the current rules for the records, next to the latencies of the same folder.
//   format  "text": the rows also go to standard output
void write_opcodes(const Folder& folder, const ptx::LoadedCatalogue& loaded, const FoundLatencies& latencies,
                   tables::OpcodeFiles files, const std::string& format);

}  // namespace ptxlat::cli
