// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/beneath.h"
#include "pairs/pair_rows.h"
#include "ptx/skeleton.h"
#include "results/store.h"
#include "tables/column.h"
#include "tables/pair_files.h"

namespace ptxlat::run {

// The pairs of the latency table in a folder; none without a table.
pairs::Schedules schedules_in(const std::filesystem::path& folder, const ptx::LoadedCatalogue& loaded);

// Writes the results of the current rules for hazard records beside the latencies of the same folder, and returns them
// with the rows. Error{storage} if they cannot be written.
tables::PairFiles write_pair_table(const Folder& folder, const pairs::Schedules& schedules, tables::PairFiles files);

// Reads the records of a table's folder by the current rules again, also those about registers, and writes the results
// there. Error{storage} if they were measured by rules that are not read.
tables::PairFiles reread_pairs(const std::filesystem::path& folder, const ptx::LoadedCatalogue& loaded);

// The pairs of a table of the store at their highest level, as its files hold one level; none if it has no pairs.
//   level  which that is
struct StoredPairs {
  tables::PairFiles files;
  int level = 0;
};
std::optional<StoredPairs> stored_pairs(const results::Store& store, const std::string& table);

// A pair of fixed latency in some code: how often it is there, and at which distances.
//   least             the lowest of them
//   below, at, above  how many are below, at and above the hazard; 0 if that is not known
struct CountedPair {
  std::string producer, consumer, slot;
  std::size_t count = 0, least = 0;
  std::optional<double> hazard;
  std::size_t below = 0, at = 0, above = 0;
};
const tables::Columns<CountedPair>& counted_pair_columns();

// The pairs of these cubins, the most frequent first. Error{storage} if one is not a cubin.
//   hazards  of which pairs they are known
std::vector<CountedPair> count_pairs(const std::vector<std::string>& cubins, const std::vector<results::Pair>& hazards);

}  // namespace ptxlat::run
