// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../report/cells.h"
#include "../results/test_folder.h"
#include "report/table.h"
#include "site/tables.h"

namespace ptxlat {

// Writes a table below `folder` and reads it as a site does.
inline site::SiteTables site_tables_of(const TestFolder& folder, const std::vector<results::Record>& records,
                                       const std::string& id = "sm_90/nvidia-h200/driver-580.159.04") {
  auto run = run_of();
  run.table = id;
  report::write_table(folder.path, report::table_from(run, {}, records));
  return site::read_tables({folder.path.string()});
}

}  // namespace ptxlat
