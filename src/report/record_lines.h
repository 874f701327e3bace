#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/record.h"
#include "results/run.h"

namespace ptxlat::report {

// Records as JSON, a line each, and the runs that they name, for the files of probes and of opcodes.
std::string lines_of(const std::vector<results::Record>& records);
std::string provenance_of(const std::vector<results::Record>& records, const std::vector<results::Run>& runs);

// What such files hold, the lines compressed; nothing where there is no file. Error{storage} if it is damaged.
std::vector<results::Record> read_record_lines(const std::filesystem::path& file);
std::vector<results::Run> read_provenance(const std::filesystem::path& file);

}  // namespace ptxlat::report
