// SPDX-License-Identifier: Apache-2.0
#pragma once

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

inline constexpr const char* pair_records_name = "pairs";  // and .jsonl.zst
inline constexpr const char* pair_runs_name = "pairs.json";
inline constexpr const char* arrivals_name = "arrivals.csv";
const Columns<results::ArrivalTime>& arrival_columns();

// The results of `ptxlat pairs` in `folder` (docs/opcodes.md): pairs.csv, a row each; arrivals.csv, when the
// results of opcodes arrive; pairs.jsonl.zst, the hazard records with their machine code; pairs.json, the runs. All
// files are replaced together. Error{storage} if they cannot be written.
struct PairFiles {
  std::vector<results::Pair> pairs;
  std::vector<results::ArrivalTime> arrivals;
  std::vector<results::Record> hazards;
  std::vector<results::Run> runs;
};
void write_pair_files(const Folder& folder, const PairFiles& files);

// The rows, for people.
void write_pair_text(std::ostream& out, const std::vector<results::Pair>& pairs);

}  // namespace ptxlat::tables
