// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tables/table.h"

namespace ptxlat::tables {

// latency.jsonl.zst, uncompressed: lines {"window": N, "sass": [...]}, because many rows share a window's code
// (overheads, bases, levels that give the same code), then a line per row, whose windows say "sass": N. The lines are
// in a file without a name in `scratch`.
JsonlText lines_of(const std::vector<SharedRow>& rows, const std::vector<RowOutline>& outlines,
                   const RecordSource& records, Code code, const std::filesystem::path& scratch);

inline constexpr std::string_view shared_line_start = "{\"window\":";

// Reads such lines: the rows as cells of their highest level and the code of their windows, views into `lines`.
// `folder` is named by the Error{storage} of damaged lines.
std::pair<std::vector<Cell>, SharedCode> rows_in(std::string_view lines, const std::filesystem::path& folder);

// Subtracts the bytes of the windows' code from `code_left`, because any number of windows may share one code, and any
// number of threads that; std::invalid_argument if too few are left.
results::Record whole_record(std::string_view line, const SharedCode& shared, std::atomic<std::int64_t>& code_left);

}  // namespace ptxlat::tables
