// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/selection.h"
#include "cli/tables.h"
#include "pages/live_table.h"
#include "results/shards.h"
#include "results/store.h"
#include "run/session.h"

namespace ptxlat::cli {

struct RunOptions {
  Selection selection;
  std::optional<results::Shard> shard;
  std::string devices = "0";
  int launches = 9;
  int threads = 0;  // 0: two per core
  std::string bundle;
  std::optional<double> repeat;
  std::uint64_t seed = 1;
  std::string store = "ptxlat.sqlite";
  TableOptions tables;
  std::string card;  // of a static table
  std::string format = "text";
  bool is_dry = false;
};

// "8 cells made in 1.2 s (7 a second); the table has 8: 8 proven"
std::string summary(const run::MadeTable& made, const tables::TableOutline& table);
void print_repetition(const run::Repetition& repetition);

// Empty if the table does not go to standard output as text, chapter by chapter: a screen gets a glance at the end.
std::optional<pages::LiveTable> live_table(const run::TableJob& job, const RunOptions& options);
// Prints the cells of the plan that are already in the store and will not be made again.
void print_known(pages::LiveTable& live, const run::TableJob& job, const results::Store& store);

// What standard output gets of the finished table: what was requested of it. Its text was printed while it was made,
// but for a screen.
void print_table(tables::Table table, const std::vector<results::CellKey>& planned, const RunOptions& options);

// What --dry-run prints.
void print_plan(const run::TableJob& job, const RunOptions& options);

}  // namespace ptxlat::cli
