// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "results/opcode.h"
#include "tables/table.h"

namespace ptxlat::tables {

// Where SASS opcodes appear in the latency tables of one GPU.
//   levels    of the table
//   versions  of ptxas ("13.0"), oldest first, whose tables are next to it
struct OpcodeAppearances {
  std::map<std::string, std::set<int>> levels;
  std::map<std::string, std::vector<std::string>> versions;
};
//   table   of `folder`
OpcodeAppearances find_appearances(const Table& table, const std::filesystem::path& folder);

// Puts them into the rows.
void note_appearances(std::vector<results::Opcode>& rows, const OpcodeAppearances& appearances);

}  // namespace ptxlat::tables
