// SPDX-License-Identifier: Apache-2.0
#include "tables/opcode_appearances.h"

#include <algorithm>

#include "base/file.h"
#include "tables/find_tables.h"
#include "tables/table_files.h"

namespace ptxlat::tables {

namespace {

constexpr std::string_view assembler = "ptxas-";

// "ptxas-13.0.88" → "13.0"
std::string version_of(const std::string& toolchain) {
  const auto version = toolchain.substr(assembler.size());
  const auto major = version.find('.');
  return version.substr(0, version.find('.', major == std::string::npos ? major : major + 1));
}

// The folders next to `folder` with tables of ptxas, oldest version first.
std::vector<std::filesystem::path> tables_of_versions(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  const auto parent = std::filesystem::absolute(folder).lexically_normal().parent_path();
  if (!std::filesystem::is_directory(parent)) return found;  // the first table of this GPU
  for (const auto& entry : entries_of(parent)) {
    const bool is_version = entry.filename().string().starts_with(assembler);
    if (is_version && has_table(entry)) found.push_back(entry);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return natural_less(a.filename().string(), b.filename().string()); });
  return found;
}

}  // namespace

OpcodeAppearances find_appearances(const Table& table, const std::filesystem::path& folder) {
  OpcodeAppearances appearances;
  for (const auto& cell : table.cells) {
    for (const auto& opcode : cell.record.sass)
      appearances.levels[opcode].insert(cell.levels.begin(), cell.levels.end());
  }
  for (const auto& other : tables_of_versions(folder)) {
    std::set<std::string> opcodes;
    for (const auto& cell : read_table(other).cells) opcodes.insert(cell.record.sass.begin(), cell.record.sass.end());
    for (const auto& opcode : opcodes) appearances.versions[opcode].push_back(version_of(other.filename().string()));
  }
  return appearances;
}

void note_appearances(std::vector<results::Opcode>& rows, const OpcodeAppearances& appearances) {
  for (auto& row : rows) {
    if (const auto found = appearances.levels.find(row.name); found != appearances.levels.end())
      row.levels.assign(found->second.begin(), found->second.end());
    if (const auto found = appearances.versions.find(row.name); found != appearances.versions.end())
      row.versions = found->second;
  }
}

}  // namespace ptxlat::tables
