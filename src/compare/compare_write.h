// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/matrix.h"
#include "results/json_fields.h"
#include "tables/page.h"

namespace ptxlat::compare {

// Tables to compare: each one with the first and, if there are three or more, the matrix of all.
struct Group {
  std::vector<Comparison> comparisons;
  std::optional<Matrix> matrix;
};
Group compare_all(const std::vector<Side>& sides);
// Each table with the previous one.
Group compare_steps(const std::vector<Side>& sides);

// The first few items of a list, and how many more there are.
std::string list_text(const std::vector<std::string>& items, std::size_t most);

// For people: a summary, then the rows; changed code is shown side by side, with stall counts.
void write_page(std::ostream& out, const Group& group, const tables::PageStyle& style);
// The facts of a comparison, as part of such a page.
void write_facts_section(tables::Page& page, const FactComparison& facts);
// Its opcodes, likewise.
void write_opcodes_section(tables::Page& page, const OpcodeComparison& opcodes);
// For programs (docs/comparison-format.md), all rows: a line for each row, fact, or quantity of an opcode, of each
// comparison; one document.
void write_csv(std::ostream& out, const std::vector<Group>& groups);
void write_facts_csv(std::ostream& out, const std::vector<Group>& groups);
void write_opcodes_csv(std::ostream& out, const std::vector<Group>& groups);
void write_json(std::ostream& out, const std::vector<Group>& groups, const std::string& version = "",
                const std::string& method = "");
// The facts and the opcodes of a comparison, as parts of that document.
results::Json facts_json(const FactComparison& facts);
results::Json opcodes_json(const OpcodeComparison& opcodes);

}  // namespace ptxlat::compare
