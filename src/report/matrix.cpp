#include "report/matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

namespace ptxlat::report {

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
      const results::Record& cell = difference.any();
      const auto [entry, is_new] = index_.emplace(key_in_matrix(cell), found_.size());
      if (is_new) found_.emplace_back();
      Found& found = found_[entry->second];
      found.row.steps.push_back({table, difference.cause});
      found.distance = std::max(found.distance, distance_of(comparison, difference));
    }
  }

  std::vector<MatrixRow> rows() {
    for (Found& found : found_) found.row.cells.assign(sides_.size(), nullptr);
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      for (const Cell& cell : sides_[i].table->cells) {
        if (sides_[i].level && cell.record.level != *sides_[i].level) continue;
        const auto found = index_.find(key_in_matrix(cell.record));
        if (found != index_.end()) found_[found->second].row.cells[i] = &cell;
      }
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Found& left, const Found& right) { return left.distance > right.distance; });
    std::vector<MatrixRow> rows;
    for (Found& found : found_) rows.push_back(std::move(found.row));
    return rows;
  }

 private:
  struct Found {
    MatrixRow row;
    double distance = 0;
  };

  RowKey key_in_matrix(const results::Record& cell) const {
    RowKey key = row_key(cell);
    if (fixed_level_) key.level = 0;
    return key;
  }

  const std::vector<Side>& sides_;
  bool fixed_level_ = false;
  std::unordered_map<RowKey, std::size_t, RowKeyHash> index_;
  std::vector<Found> found_;
};

}  // namespace

const results::Record& MatrixRow::any() const {
  return (*std::find_if(cells.begin(), cells.end(), [](const Cell* cell) { return cell; }))->record;
}

bool Matrix::has_levels() const {
  return std::none_of(sides.begin(), sides.end(), [](const Side& side) { return side.level.has_value(); });
}

Matrix matrix_of(const std::vector<Side>& sides) {
  Matrix matrix{sides, headline_between(sides), {}};
  StepCollector steps(matrix.sides);
  for (std::size_t i = 1; i < sides.size(); ++i) steps.add(i, compare(sides[i - 1], sides[i]));
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

}  // namespace ptxlat::report
