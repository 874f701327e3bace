// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tables/rows.h"

namespace ptxlat::pages {

// The printed table while it is being made: a chapter's rows appear as soon as all of its cells are finished, so that
// the first numbers appear within a minute. Prints the same columns as write_text, with widths estimated in advance.
class LiveTable {
 public:
  // A chapter and how many of its cells are still to come.
  using PlannedCells = std::map<std::string, std::size_t>;

  // `names`: the spellings of the forms to come, for the width of the first column.
  LiveTable(std::ostream& out, std::string_view headline, std::vector<int> levels, PlannedCells planned,
            const std::vector<std::string>& names);

  // Finished cells, in any order. Prints the chapters that they complete.
  void add(const std::vector<results::Record>& records);
  // Prints the chapters that were left incomplete and the summary.
  void finish();

 private:
  // A finished cell, and what it shares with the cells of the same row (tables/operands.h).
  struct Finished {
    tables::Cell cell;
    std::array<std::uint64_t, 2> experiment;
  };

  void print_heads();
  void print(const std::string& chapter, std::vector<Finished>& finished);

  std::ostream& out_;
  tables::RowLayout layout_;
  PlannedCells planned_;
  std::map<std::string, std::vector<Finished>> waiting_;
  std::map<sass::Verdict, std::size_t> counts_;
  std::vector<tables::Heading> columns_;
  std::vector<std::size_t> widths_;
  bool has_heads_ = false;
};

}  // namespace ptxlat::pages
