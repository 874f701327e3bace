// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <ostream>
#include <vector>

#include "base/file.h"
#include "results/opcode.h"
#include "results/record.h"
#include "results/run.h"
#include "tables/column.h"

namespace ptxlat::tables {

inline constexpr const char* pairs_name = "pairs.csv";
inline constexpr const char* packed_pairs_name = "pairs.csv.gz";  // if it was compressed
const Columns<results::Pair>& pair_columns();

inline constexpr const char* arrivals_name = "arrivals.csv";
const Columns<results::ArrivalTime>& arrival_columns();
// The rows of a folder's arrivals.csv; none if it does not have it. Error{storage} if it is damaged.
std::vector<results::ArrivalTime> read_arrivals(const std::filesystem::path& folder);

// What is known of pairs of opcodes, in `folder` (docs/opcodes.md): pairs.csv, a row each; arrivals.csv, when the
// results of opcodes arrive; pairs.jsonl.zst, the hazard records with their machine code; pairs.json, the runs. All
// files are replaced together. Error{storage} if they cannot be written.
struct PairFiles {
  std::vector<results::Pair> pairs;
  std::vector<results::ArrivalTime> arrivals;
  std::vector<results::Record> hazards;
  std::vector<results::Run> runs;
};
void write_pair_files(const Folder& folder, const PairFiles& files);

// The records and runs of such a folder, without the rows; none if it has no pairs. Error{storage} if they are damaged.
PairFiles read_pair_files(const std::filesystem::path& folder);

// The runs alone.
std::vector<results::Run> read_pair_runs(const std::filesystem::path& folder);

// The rows of pairs.csv; none if the folder does not have it. Error{storage} if it is damaged.
std::vector<results::Pair> read_pairs(const std::filesystem::path& folder);

// The rows, for people.
void write_pair_text(std::ostream& out, const std::vector<results::Pair>& pairs);

}  // namespace ptxlat::tables
