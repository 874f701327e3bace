// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/json.h"
#include "site/lines.h"
#include "site/shard.h"
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

// Numbers that mean the same in all shards: of a row's opcodes, and of the opcodes and the whole code of its windows.
struct SharedNumbers {
  Words sass, opcodes, codes;
};
// That of a window's code, and of its opcodes.
struct CodeNumbers {
  int code = 0, opcodes = 0;
};
CodeNumbers numbers_of(const compare::CodeHash& hash, SharedNumbers& shared);
// The same of code that has its numbers.
CodeNumbers numbers_in(const compare::CodeHash& hash, const SharedNumbers& shared);

// The columns by which the list of a table's forms shows, sorts, filters and compares.
results::Json list_of(const SiteTable& table, const TableLines& lines, const Names& names, const PipesOfTable& pipes,
                      SharedNumbers& shared);

}  // namespace ptxlat::site
