// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <unordered_set>
#include <vector>

#include "results/store.h"

namespace ptxlat::cli {

// What a command would make with --dry-run.
//   table       and below which folder it would be written
//   things      of which there are so many: "cells"
//   forms       of which these are; 0: of none
//   known       how many of the things the store has
//   seconds     about how long the rest takes here
//   cores       that work on them; 0: that says nothing about the time
struct DryRun {
  std::string table, folder, things = "cells";
  std::size_t forms = 0, count = 0, known = 0;
  double seconds = 0;
  std::size_t cores = 0;
};

// Fills count and known, from a plan's cells.
//   store  a file that may not exist yet
template <class Plan>
void count_cells(const std::vector<Plan>& plans, const std::string& store, DryRun& run) {
  std::unordered_set<std::string> finished;
  if (std::filesystem::exists(store)) finished = results::Store(store).finished(run.table);
  for (const auto& plan : plans) {
    ++run.count;
    run.known += finished.contains(key_of(plan).text()) ? 1 : 0;
  }
}

// For a person, or as JSON.
void print_dry_run(const DryRun& run, const std::string& store, const std::string& format);

}  // namespace ptxlat::cli
