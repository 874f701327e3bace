// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/json.h"
#include "site/lines.h"
#include "site/names.h"
#include "site/tables.h"

namespace ptxlat::site {

// The pipes of opcodes, for tables of one architecture.
//   from  the title of the table that measured them; empty if none did
struct PipesOfTable {
  tables::Pipes pipes;
  std::string from;
};
// The table's own, else those of the first table of its architecture that has opcodes.
PipesOfTable pipes_for(const SiteTable& table, const SiteTables& tables);

// Numbers that mean the same in the lists of all tables: of a row's opcodes, of the roles of its windows, and of the
// opcodes and the schedule in these.
struct SharedNumbers {
  Words sass, roles, opcodes, schedules;
};

// What the list of a table's forms shows, sorts, filters and compares by, column by column.
results::Json list_of(const SiteTable& table, const TableLines& lines, const Names& names, const PipesOfTable& pipes,
                      SharedNumbers& shared);

}  // namespace ptxlat::site
