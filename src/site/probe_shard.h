// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/json.h"
#include "site/tables.h"

namespace ptxlat::site {

// The facts of a table, without series: {"probe", "quantity", …}, and the memory hierarchy that they describe.
results::Json facts_of(const SiteTable& table);

// The series of a table's probes, with the facts that mark them, and the distinct machine code of their kernels.
results::Json probes_of(const SiteTable& table);

}  // namespace ptxlat::site
