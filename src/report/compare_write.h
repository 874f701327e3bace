#pragma once

#include <optional>
#include <ostream>
#include <vector>

#include "report/compare.h"
#include "report/matrix.h"
#include "report/page.h"
#include "results/json_fields.h"

namespace ptxlat::report {

// Tables that are compared with each other: every one against the first and, from three on, the matrix of all.
struct Group {
  std::vector<Comparison> comparisons;
  std::optional<Matrix> matrix;
};
Group compare_all(const std::vector<Side>& sides);
// Each table with the one before it.
Group compare_steps(const std::vector<Side>& sides);

// For reading: a summary, then the rows; code that changed is shown side by side, with stall counts.
void write_page(std::ostream& out, const Group& group, const PageStyle& style);
// A page to keep, in Markdown: ten lines of what matters most, then what changed from each table to the next, rows that
// changed alike together, with the code that explains it. `list` is the file that has all rows, for a link; may be
// empty.
void write_findings(std::ostream& out, const std::vector<Side>& sides, const Group& steps, const std::string& list);
// The facts of a comparison, as a part of such a page.
void write_facts_section(Page& page, const FactComparison& facts);
// For programs (docs/comparison-format.md), all rows: a line for each row, or fact, of each
// comparison; one document.
void write_csv(std::ostream& out, const std::vector<Group>& groups);
void write_facts_csv(std::ostream& out, const std::vector<Group>& groups);
void write_json(std::ostream& out, const std::vector<Group>& groups);
// The facts of a comparison, as a part of that document.
results::Json facts_json(const FactComparison& facts);

}  // namespace ptxlat::report
