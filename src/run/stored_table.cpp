// SPDX-License-Identifier: Apache-2.0
#include "run/stored_table.h"

#include <unordered_set>

namespace ptxlat::run {

StoredTable stored_table(const results::Store& store, const std::string& table) {
  StoredTable stored{store.runs(table), store.records(table, results::RecordKind::latency)};
  std::unordered_set<int> named;
  for (const auto& record : stored.records) named.insert(record.run);
  std::erase_if(stored.runs, [&](const results::Run& run) { return !named.contains(run.id); });
  return stored;
}

}  // namespace ptxlat::run
