// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/run.h"
#include "results/store.h"
#include "results/stored_records.h"

namespace ptxlat::run {

// The latencies of a table in the store, and the runs that they name, oldest first.
struct StoredTable {
  std::vector<results::Run> runs;
  results::StoredRecords records;
};
StoredTable stored_table(const results::Store& store, const std::string& table);

}  // namespace ptxlat::run
