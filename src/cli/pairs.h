// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "pairs/pair_rows.h"
#include "ptx/skeleton.h"
#include "tables/pair_files.h"

namespace ptxlat::cli {

// What the latency table in this folder, of the same GPU and assembler, says of pairs; nothing if there is no table.
pairs::Schedules schedules_in(const std::filesystem::path& folder, const ptx::LoadedCatalogue& loaded);

// Writes the results of the current rules for the hazard records, with the schedules of the latencies; returns the
// rows.
//   format  "text": the rows also go to standard output
std::vector<results::Pair> write_pairs(const Folder& folder, const pairs::Schedules& schedules, tables::PairFiles files,
                                       const std::string& format);

// The rows in which the opcode is the producer, nearest consumer first, and then those in which it is the consumer.
// Error{unknown_name} if the table has none.
void show_pairs(const std::filesystem::path& table, const std::string& opcode);

}  // namespace ptxlat::cli
