// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compare/code_change.h"
#include "tables/table.h"

namespace ptxlat::site {

// A window of a row whose machine code is known, for comparisons (compare/code_change.h).
//   behind  the numbers that it is behind: "headline", and those that are compared besides
struct WindowMark {
  std::string role;
  std::vector<std::string> behind;
  compare::CodeHash code;
};

// A table with what its pages need besides.
//   id           the folder below tables/ that its run.json names: links to it are made of this
//   marks        of the windows of each row
//   pipes        of the opcodes that have one
//   throughputs  of the rows
struct SiteTable : tables::Table {
  std::string id;
  std::vector<std::vector<WindowMark>> marks;
  tables::Pipes pipes;
  tables::RowThroughputs throughputs;
};

// The tables below the named folders, measured ones first, then in natural order of their ids. Error{usage} if two have
// one id, because no link could tell them apart; further the errors of tables::find_tables and read_table.
//   unreadable  as in tables::find_tables; null if nobody asks
using SiteTables = std::vector<std::unique_ptr<SiteTable>>;
SiteTables read_tables(const std::vector<std::string>& names, std::vector<std::filesystem::path>* unreadable = nullptr);

// The table's title for a reader: "NVIDIA H200, driver-580.159.04", "sm_100a, ptxas-13.0.88, static".
std::string title_of(const SiteTable& table);

}  // namespace ptxlat::site
