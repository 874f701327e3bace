// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/json.h"
#include "site/list_rows.h"
#include "site/shard.h"
#include "site/tables.h"

// The data of each view, as docs/site.md describes it ("The data").

namespace ptxlat::site {

// The data that the page needs first: the tables with their provenance, and for each the numbers that an engineer asks
// for first (tables/overview.h).
results::Json tables_json(const SiteTables& tables);

// The table that a page shows if its link names none: the measured one with the most rows.
std::size_t default_table(const SiteTables& tables);

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
// A window has one for its code and one for its opcodes.
struct CodeNumbers {
  int code = 0, opcodes = 0;
};
CodeNumbers numbers_of(const compare::CodeHash& hash, SharedNumbers& shared);
// Code that has its numbers already.
CodeNumbers numbers_in(const compare::CodeHash& hash, const SharedNumbers& shared);

// The columns by which the list of a table's forms shows, sorts, filters and compares.
results::Json list_of(const SiteTable& table, const ListRows& list, const Names& names, const PipesOfTable& pipes,
                      SharedNumbers& shared);

// The pages of forms are in shards. Each has a range of Names with everything that any table knows about these forms.
// A page needs the shard of its form, and that of the form whose row it shares.
struct FormRange {
  std::size_t begin = 0, end = 0;  // places in Names
};

// Where each form's rows are, of all tables.
struct RowPlace {
  std::size_t table = 0, row = 0;
};
struct SpellingPlace {
  std::size_t table = 0, spelling = 0;
};
struct FormIndex {
  std::vector<std::vector<RowPlace>> rows;            // by place in Names
  std::vector<std::vector<SpellingPlace>> spellings;  // likewise
};
FormIndex index_of(const SiteTables& tables, const Names& names);

// Ranges of about equal size: a page loads in an instant, and neighbours share their machine code.
std::vector<FormRange> ranges_of(const SiteTables& tables, const FormIndex& index);

// The content of one shard (docs/site.md, "The data").
//   shared  as the lists have made them: it has every code
results::Json forms_in(const FormRange& range, const SiteTables& tables, const Names& names, const FormIndex& index,
                       const SharedNumbers& shared);

// The facts of a table, without series: {"probe", "quantity", …}, and the memory hierarchy that they describe.
results::Json facts_of(const SiteTable& table);

// The series of a table's probes, with the facts that mark them, and the distinct machine code of their kernels.
results::Json probes_of(const SiteTable& table);

}  // namespace ptxlat::site
