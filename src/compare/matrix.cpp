// SPDX-License-Identifier: Apache-2.0
#include "compare/matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "tables/join.h"

namespace ptxlat::compare {

namespace {

double distance_of(const Comparison& comparison, const Difference& row) {
  const Numbers numbers = leading_of(comparison, row);
  if (const std::optional<double> ratio = numbers.ratio()) return std::abs(std::log(*ratio));
  return numbers.change().value_or(0) == 0 ? 0 : std::numeric_limits<double>::infinity();
}

// Collects the steps of all adjacent pairs, row by row.
class StepCollector {
 public:
  explicit StepCollector(const std::vector<Side>& sides) : sides_(sides) {
    fixed_level_ = std::any_of(sides.begin(), sides.end(), [](const Side& side) { return side.level.has_value(); });
  }

  void add(std::size_t table, const Comparison& comparison) {
    for (const Difference& difference : comparison.rows) {
      for (const std::string_view operand : difference.operands) {
        Found& found = found_[key_in_matrix(difference.record(), operand)];
        found.steps.push_back({table, difference.cause});
        found.distance = std::max(found.distance, distance_of(comparison, difference));
      }
    }
  }

  std::vector<MatrixRow> rows() const {
    std::vector<tables::PlacedCell> cells;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      for (const tables::Cell& cell : sides_[i].table->cells) {
        if (!sides_[i].level || cell.record.level == *sides_[i].level) cells.push_back({&cell, i});
      }
    }
    std::vector<std::pair<double, MatrixRow>> changed;
    for (tables::JoinedRow& joined : tables::join(cells, sides_.size(), !fixed_level_)) {
      MatrixRow row{std::move(joined.operands), std::move(joined.cells), {}};
      const auto found = found_.find(key_in_matrix(row.record(), row.operands.front()));
      if (found == found_.end()) continue;
      row.steps = found->second.steps;
      changed.emplace_back(found->second.distance, std::move(row));
    }
    std::stable_sort(changed.begin(), changed.end(),
                     [](const auto& left, const auto& right) { return left.first > right.first; });
    std::vector<MatrixRow> rows;
    for (auto& [distance, row] : changed) rows.push_back(std::move(row));
    return rows;
  }

 private:
  struct Found {
    std::vector<Step> steps;
    double distance = 0;
  };

  tables::RowKey key_in_matrix(const results::Record& cell, std::string_view operand) const {
    return {cell.ptx, operand, cell.input, fixed_level_ ? 0 : cell.level};
  }

  const std::vector<Side>& sides_;
  bool fixed_level_ = false;
  std::unordered_map<tables::RowKey, Found, tables::RowKeyHash> found_;
};

}  // namespace

const results::Record& MatrixRow::record() const {
  const auto has_more = [](const tables::Cell* cell) { return cell && !tables::is_listed_only(*cell); };
  return (*std::find_if(cells.begin(), cells.end(), has_more))->record;
}

bool Matrix::has_levels() const {
  return std::none_of(sides.begin(), sides.end(), [](const Side& side) { return side.level.has_value(); });
}

Matrix matrix_of(const std::vector<Side>& sides) {
  Matrix matrix{sides, headline_between(sides), {}};
  StepCollector steps(matrix.sides);
  for (std::size_t i = 1; i < sides.size(); ++i) steps.add(i, compare_tables(sides[i - 1], sides[i]));
  matrix.rows = steps.rows();
  return matrix;
}

std::vector<std::pair<Cause, std::size_t>> causes_at(const Matrix& matrix, std::size_t table) {
  std::map<Cause, std::size_t> counts;
  for (const MatrixRow& row : matrix.rows) {
    for (const Step& step : row.steps) {
      if (step.table == table) ++counts[step.cause];
    }
  }
  return {counts.begin(), counts.end()};
}

}  // namespace ptxlat::compare
