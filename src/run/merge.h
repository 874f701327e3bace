// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ptx/skeleton.h"
#include "results/store.h"

namespace ptxlat::run {

// The main number of a record: `cycles`, or the number that a table shows instead.
std::optional<double> main_number(const results::Record& record);

// Whether two latencies of a cell are the same, allowing for the spread of its launches. Curves and facts are not
// compared.
bool agree(const results::Record& a, const results::Record& b);

// Writes the pairs, facts and opcodes of a table, as far as the store has them; its latencies are there. Error{storage}
// as those of run/facts.h unless `replaces`.
//   catalogue  called if pairs or opcodes need it, for each of them
//   how many probes were written
std::size_t write_experiments(results::Store& store, const std::string& folder, const std::string& table, bool replaces,
                              const std::function<const ptx::LoadedCatalogue&()>& catalogue);

}  // namespace ptxlat::run
