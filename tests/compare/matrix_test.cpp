// SPDX-License-Identifier: Apache-2.0
#include "compare/matrix.h"

#include "../tables/cells.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::tables;

namespace {

std::vector<Side> sides_of(const std::vector<Table>& tables) {
  std::vector<Side> sides;
  for (const Table& table : tables) sides.push_back({&table, std::nullopt, std::to_string(sides.size()), ""});
  return sides;
}

std::vector<std::pair<std::size_t, Cause>> steps_of(const Matrix& matrix, const std::string& ptx) {
  std::vector<std::pair<std::size_t, Cause>> steps;
  for (const MatrixRow& row : matrix.rows) {
    if (row.record().ptx != ptx) continue;
    for (const Step& step : row.steps) steps.emplace_back(step.table, step.cause);
  }
  return steps;
}

}  // namespace

TEST_CASE("a matrix says at which table a row changes, and why") {
  const results::Record same = cell_of("same", 3, 4, "S"), old_code = cell_of("code", 3, 8, "OLD"),
                        new_code = cell_of("code", 3, 4, "NEW"), late = cell_of("late", 3, 4, "L");
  results::Record slow = cell_of("stall", 3, 4, "T"), slower = slow;
  slower.windows[0].sass[1].stall_count = 6;
  give(slower, results::metric::cycles, 6);
  results::Record unsupported = cell_of("gone", 3, 4, "G");
  give(unsupported, results::metric::cycles, std::nullopt);
  unsupported.verdict = sass::Verdict::unsupported;
  const std::vector<Table> tables = {
      (table_of({same, old_code, slow, cell_of("gone", 3, 4, "G")})),
      (table_of({same, new_code, slow, cell_of("gone", 3, 4, "G")})),
      (table_of({same, new_code, slower, unsupported, late})),
      (table_of({late, same, new_code, slow})),
  };
  const Matrix matrix = matrix_of(sides_of(tables));
  using Steps = std::vector<std::pair<std::size_t, Cause>>;
  CHECK(matrix.rows.size() == 4);
  CHECK(steps_of(matrix, "code") == Steps{{1, Cause::other_sass}});
  CHECK(steps_of(matrix, "stall") == Steps{{2, Cause::other_stall_counts}, {3, Cause::other_stall_counts}});
  CHECK(steps_of(matrix, "gone") == Steps{{2, Cause::other_verdict}});
  CHECK(steps_of(matrix, "late") == Steps{{2, Cause::only_in_b}});
  CHECK(steps_of(matrix, "same").empty());
  CHECK(matrix.rows[0].record().ptx == "code");  // the largest change, a factor of two
  CHECK(matrix.rows[1].record().ptx == "stall");

  const MatrixRow& code = matrix.rows[0];
  REQUIRE(code.cells.size() == 4);
  CHECK(code.cells[0]->record.number(results::metric::cycles) == 8);
  CHECK(code.cells[3]->record.number(results::metric::cycles) == 4);
  using Causes = std::vector<std::pair<Cause, std::size_t>>;
  CHECK(causes_at(matrix, 1) == Causes{{Cause::other_sass, 1}});
  CHECK(causes_at(matrix, 2) ==
        Causes{{Cause::other_stall_counts, 1}, {Cause::other_verdict, 1}, {Cause::only_in_b, 1}});
}

TEST_CASE("a matrix of the levels of one table has a row for a form, not for each level") {
  const Table table = (table_of(
      {cell_of("add", 0, 15, "A"), cell_of("add", 1, 4, "A"), cell_of("add", 2, 4, "A"), cell_of("add", 3, 4, "B")}));
  std::vector<Side> sides;
  for (int level = 0; level < 4; ++level) sides.push_back({&table, level, "O" + std::to_string(level), ""});
  const Matrix matrix = matrix_of(sides);
  REQUIRE(matrix.rows.size() == 1);
  REQUIRE(matrix.rows[0].steps.size() == 2);
  CHECK(matrix.rows[0].steps[0].table == 1);
  CHECK(matrix.rows[0].steps[1].table == 3);
  for (int level = 0; level < 4; ++level) CHECK(matrix.rows[0].cells[level]->record.level == level);
}
