// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "results/json.h"
#include "site/lines.h"
#include "site/names.h"
#include "site/tables.h"

namespace ptxlat::site {

// The pipe of each opcode, for tables of one architecture.
//   from  the title of the table that measured them; empty if none did
struct Pipes {
  std::map<std::string, std::string> of_opcode;
  std::string from;

  // Of an opcode with modifiers that was not measured, the pipe on which all measured ones of its name are. Empty if
  // that is not known.
  std::string of(const std::string& opcode) const;
};
// The table's own, else those of the first table of its architecture that has opcodes.
Pipes pipes_for(const SiteTable& table, const SiteTables& tables);

// Numbers that mean the same in the lists of all tables: of a row's opcodes, of the roles of its windows, and of the
// opcodes and the schedule in these.
struct SharedNumbers {
  Words sass, roles, opcodes, schedules;
};

// What the list of a table's forms shows, sorts, filters and compares by, column by column.
results::Json list_of(const SiteTable& table, const TableLines& lines, const Names& names, const Pipes& pipes,
                      SharedNumbers& shared);

}  // namespace ptxlat::site
