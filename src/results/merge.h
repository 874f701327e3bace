// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "results/record.h"
#include "results/store.h"

namespace ptxlat::results {

// Two results of one experiment that contradict each other, without their windows.
struct Conflict {
  std::string table;
  Record kept, dropped;
};

//   runs, added  how many the target did not have
//   replaced     how many records of the target were replaced
//   conflicts    at most one for each cell
struct Merged {
  std::size_t runs = 0, added = 0, replaced = 0;
  std::vector<Conflict> conflicts;
};

// Whether two results of one experiment are the same.
using Agree = std::function<bool(const Record&, const Record&)>;

// Copies runs and records of stores into the target, which is created if it does not exist; a source that is the target
// is skipped. The sources are only read, and may be in use. Runs get ids of the target; a run in several stores is
// copied once. Of two records of a cell, the one is kept that has, in this order of precedence:
//   1. the newer method of its run,
//   2. a contradiction: a second process of its own run measured something else,
//   3. a verdict of `proven`,
//   4. the later start of its run.
// So the result does not depend on the order of the sources, and merging again changes nothing. All of it is one
// transaction: a merge that is killed leaves the target as it was. Error{storage} if a file is not a store of this
// version, or a record of a source is damaged; nothing is written.
Merged merge_stores(const std::vector<std::filesystem::path>& sources, const std::filesystem::path& into,
                    const Agree& agree);

}  // namespace ptxlat::results
