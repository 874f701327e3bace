// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "results/json.h"
#include "site/list_shard.h"
#include "site/shard.h"
#include "site/tables.h"

namespace ptxlat::site {

// The pages of forms are in shards: each has a range of Names with everything that any table knows about these forms.
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

}  // namespace ptxlat::site
