// SPDX-License-Identifier: Apache-2.0
#include "run/stored_table.h"

namespace ptxlat::run {

StoredTable stored_table(const results::Store& store, const std::string& table) {
  StoredTable stored{store.runs(table), {store.file(), table, results::RecordKind::latency}};
  std::erase_if(stored.runs,
                [named = stored.records.runs()](const results::Run& run) { return !named.contains(run.id); });
  return stored;
}

}  // namespace ptxlat::run
