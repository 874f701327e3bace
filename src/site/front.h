// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/json.h"
#include "site/tables.h"

namespace ptxlat::site {

// The data that the page needs first: the tables with their provenance, and for each the numbers that an engineer asks
// for first (tables/overview.h).
results::Json tables_json(const SiteTables& tables);

// The table that a page shows if its link names none: the measured one with the most rows.
std::size_t default_table(const SiteTables& tables);

}  // namespace ptxlat::site
