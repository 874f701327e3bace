// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "results/record.h"
#include "results/run.h"

namespace ptxlat::tables {

// Records as JSON, one per line, and the runs that they name, for the files of probes, opcodes and pairs. The file of
// the lines has this name and .jsonl.zst.
NamedContent lines_file(std::string_view name, const std::vector<results::Record>& records);
// The runs that made these records.
std::vector<results::Run> runs_of(const std::vector<results::Record>& records, std::vector<results::Run> runs);
std::string provenance_of(const std::vector<results::Record>& records, const std::vector<results::Run>& runs);

bool has_record_lines(const std::filesystem::path& folder, std::string_view name);

// The content of such files; empty if there is none. Error{storage} if it is damaged.
std::vector<results::Record> read_record_lines(const std::filesystem::path& folder, std::string_view name);
std::vector<results::Run> read_provenance(const std::filesystem::path& file);

}  // namespace ptxlat::tables
