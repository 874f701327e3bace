// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "results/json.h"
#include "simulator/target.h"
#include "tables/probe_files.h"
#include "tables/table.h"

namespace ptxlat::simulator {

// All that a table's folder has, without machine code: queries are answered from it.
//   opcodes  the rows of opcodes.csv
struct Tables {
  std::filesystem::path folder;
  results::Json run = results::Json::object();
  std::vector<tables::Cell> rows;
  std::vector<tables::Spelling> spellings;
  std::vector<tables::TableFact> facts;
  std::vector<results::Opcode> opcodes;
};

// Error{unknown_name} if the folder is not a table, Error{storage} if it is damaged.
Tables read_tables(const std::filesystem::path& folder);

// A row with the figure that a query asks for.
//   file, row  where it stands: "latency.csv", "fma.rn.f32, operand a, O3"
//   value      the figure as its file has it, or the word
struct Found {
  std::string file, row, value, unit;
};

//   found    the row that gives the figure: the first of those that have it
//   matches  how many rows the query matched
struct Answer {
  Found found;
  std::size_t matches = 0;
};

// An answer, or a sentence that says why there is none.
std::variant<Answer, std::string> ask(const Query& query, const Tables& tables);

}  // namespace ptxlat::simulator
