// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/store.h"

namespace ptxlat::cli {

// What a command would make with --dry-run.
//   table            and below which folder it would be written
//   things           of which there are so many: "cells"
//   forms            of which these are; 0: of none
//   unsupported      further ones, which the target does not have and which take no time
//   seconds_of_each  about how long one of them takes, on one core if `assemblers` work on them, two on each core
struct DryRun {
  std::string table, folder, things = "cells";
  std::size_t forms = 0, unsupported = 0, assemblers = 0;
  double seconds_of_each = 0;
};

template <class Plan>
std::vector<results::CellKey> keys_of(const std::vector<Plan>& plans) {
  std::vector<results::CellKey> keys;
  for (const auto& plan : plans) keys.push_back(key_of(plan));
  return keys;
}

// How many things there are, how many of them the store has, and about how long the rest takes: for a person, or as
// JSON.
//   store  a file that may not exist yet
void print_dry_run(const DryRun& run, const std::vector<results::CellKey>& things, const std::string& store,
                   const std::string& format);

}  // namespace ptxlat::cli
