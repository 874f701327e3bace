// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/record.h"
#include "results/run.h"

namespace ptxlat::report {

// Records as JSON, one per line, and the runs that they name, for the files of probes and of opcodes.
std::string lines_of(const std::vector<results::Record>& records);
std::string provenance_of(const std::vector<results::Record>& records, const std::vector<results::Run>& runs);

// The content of such files, with the lines compressed; empty if there is no file. Error{storage} if it is damaged.
std::vector<results::Record> read_record_lines(const std::filesystem::path& file);
std::vector<results::Run> read_provenance(const std::filesystem::path& file);

}  // namespace ptxlat::report
