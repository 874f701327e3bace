// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/record.h"
#include "tables/column.h"
#include "tables/shared_rows.h"

namespace ptxlat::tables {

inline constexpr const char* published_throughput_name = "published_throughput.csv";

// A form's throughput by the vendor's documentation: what one SM of this architecture ("sm_90") does per cycle, in the
// unit of the form (results/metric.h).
struct PublishedThroughput {
  std::string ptx, sm;
  std::optional<double> throughput;
  std::string unit, source;
};
const Columns<PublishedThroughput>& published_columns();
// None if there is no such file. Error{storage} if it is damaged.
std::vector<PublishedThroughput> read_published_throughputs(const std::filesystem::path& file);

// Adds to the note of each throughput that is more than 3 % away from the published one what the vendor documents.
//   target     of the records' run: "sm_90a"
//   published  if of a form that shares another one's row, of that row
//   spellings  which forms these are
void note_published(std::vector<results::Record>& throughput, const std::string& target,
                    std::vector<PublishedThroughput> published, const std::vector<Spelling>& spellings);

}  // namespace ptxlat::tables
