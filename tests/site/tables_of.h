// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../results/test_folder.h"
#include "../tables/cells.h"
#include "site/tables.h"
#include "tables/folder.h"

namespace ptxlat {

// Writes a table below `folder` and reads it as a site does.
inline site::SiteTables site_tables_of(const TestFolder& folder, const std::vector<results::Record>& records,
                                       const std::string& id = "sm_90/nvidia-h200/driver-580.159.04") {
  auto run = run_of();
  run.table = id;
  tables::write_table(folder.path, tables::table_from(run, {}, records));
  return site::read_tables({folder.path.string()});
}

}  // namespace ptxlat
