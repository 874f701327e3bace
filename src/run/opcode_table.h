// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/beneath.h"
#include "ptx/skeleton.h"
#include "results/store.h"
#include "tables/opcode_files.h"
#include "tables/table.h"

namespace ptxlat::run {

// Where SASS opcodes appear in the latency tables of one GPU.
//   levels    of the table
//   versions  of ptxas ("13.0"), oldest first, whose tables are next to it
struct OpcodeAppearances {
  std::map<std::string, std::set<int>> levels;
  std::map<std::string, std::vector<std::string>> versions;
};
//   table   of `folder`
OpcodeAppearances find_appearances(const tables::Table& table, const std::filesystem::path& folder);

// Puts them into the rows.
void note_appearances(std::vector<results::Opcode>& rows, const OpcodeAppearances& appearances);

// The latencies that opcodes' rows are made with: the table of the same GPU and assembler, empty if there is none, and
// where opcodes appear in it and in those beside it.
struct FoundLatencies {
  tables::Table table;
  OpcodeAppearances appearances;
};
FoundLatencies find_latencies(const std::filesystem::path& folder);

// Writes the results of the current rules for the records, next to the latencies of the same folder, and returns them
// with the rows. Error{storage} if they cannot be written.
tables::OpcodeFiles write_opcode_table(const Folder& folder, const ptx::LoadedCatalogue& loaded,
                                       const FoundLatencies& latencies, tables::OpcodeFiles files);

// Reads the records of a table's folder by the current rules again, and writes the results there. Error{storage} if
// it has none, or they were measured by rules that are not read.
tables::OpcodeFiles reread_opcodes(const std::filesystem::path& folder, const ptx::LoadedCatalogue& loaded);

// The opcodes of a table of the store at their highest level, as its files hold one level; none if it has no opcodes.
std::optional<tables::OpcodeFiles> stored_opcodes(const results::Store& store, const std::string& table);

// Rules that read what different ones measured would misjudge it.
//   runs   of the records of `table`
//   rules  that can be read, today's last
// Error{storage} if one of the runs measured by different rules.
void require_rules(const std::filesystem::path& table, const std::vector<results::Run>& runs,
                   std::span<const std::string_view> rules);

// The records at one level, and the highest that they have.
std::vector<results::Record> at_level(std::vector<results::Record> records, int level);
int highest_level(const std::vector<results::Record>& records);

}  // namespace ptxlat::run
