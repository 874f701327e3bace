// SPDX-License-Identifier: Apache-2.0
#include "memory/linkage.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace ptxlat::memory {

float dot(const std::vector<float>& x, const std::vector<float>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0F);
}

namespace {

struct Merge {
  std::uint32_t one, two;  // a row of each
  float height;
};

// Average linkage by chains of nearest neighbours: two that are each other's nearest are merged, in any order, and the
// distance to the merged group is the mean of those to its rows.
class Linkage {
 public:
  explicit Linkage(const Rows& rows) : count_(rows.size()), sizes_(count_, 1), apart_(count_ * count_) {
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        float sum = 0;
        for (std::size_t k = 0; k < rows[i].size(); ++k) sum += (rows[i][k] - rows[j][k]) * (rows[i][k] - rows[j][k]);
        apart(i, j) = apart(j, i) = std::sqrt(sum);
      }
    }
  }

  // Ascending.
  std::vector<Merge> merges() {
    std::vector<Merge> found;
    std::vector<std::size_t> chain;
    std::size_t first = 0;
    while (found.size() + 1 < count_) {
      if (chain.empty()) {
        while (sizes_[first] == 0) ++first;
        chain.push_back(first);
      }
      const std::size_t last = chain.back();
      const std::size_t before = chain.size() > 1 ? chain[chain.size() - 2] : count_;
      const std::size_t next = nearest(last, before);
      if (next != before) {
        chain.push_back(next);
        continue;
      }
      found.push_back({static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(before), apart(last, before)});
      join(last, before);
      chain.resize(chain.size() - 2);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.height < y.height; });
    return found;
  }

 private:
  float& apart(std::size_t i, std::size_t j) { return apart_[i * count_ + j]; }
  // `before` wins a tie, so that a chain ends.
  std::size_t nearest(std::size_t to, std::size_t before) {
    std::size_t best = before;
    float least = before < count_ ? apart(to, before) : std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < count_; ++i) {
      if (i == to || sizes_[i] == 0 || apart(to, i) >= least) continue;
      least = apart(to, i);
      best = i;
    }
    return best;
  }
  void join(std::size_t gone, std::size_t kept) {
    const auto one = static_cast<float>(sizes_[gone]), two = static_cast<float>(sizes_[kept]);
    for (std::size_t i = 0; i < count_; ++i) {
      if (i == gone || i == kept || sizes_[i] == 0) continue;
      apart(kept, i) = apart(i, kept) = (one * apart(gone, i) + two * apart(kept, i)) / (one + two);
    }
    sizes_[kept] += sizes_[gone];
    sizes_[gone] = 0;
  }

  std::size_t count_;
  std::vector<std::size_t> sizes_;  // 0: merged into a different one
  std::vector<float> apart_;
};

}  // namespace

Rows directions_of(const Rows& rows, double least, std::size_t most) {
  const auto columns = static_cast<Eigen::Index>(rows.front().size());
  Eigen::MatrixXf values(static_cast<Eigen::Index>(rows.size()), columns);
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    values.row(i) = Eigen::Map<const Eigen::RowVectorXf>(rows[static_cast<std::size_t>(i)].data(), columns);
  const Eigen::MatrixXf covariance = values.transpose() * values / static_cast<float>(rows.size());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solver(covariance);
  // A direction and its opposite are the same: the column of the greatest variance is positive in each.
  Eigen::Index greatest = 0;
  covariance.diagonal().maxCoeff(&greatest);
  Rows found;
  for (Eigen::Index i = columns; i-- > 0 && found.size() < most;) {
    if (!found.empty() && !(solver.eigenvalues()[i] > static_cast<float>(least))) break;
    const Eigen::VectorXf direction = solver.eigenvectors().col(i) * (solver.eigenvectors()(greatest, i) < 0 ? -1 : 1);
    found.emplace_back(direction.begin(), direction.end());
  }
  return found;
}

Rows projected(const Rows& rows, const Rows& directions) {
  Rows found;
  for (const auto& row : rows) {
    auto& at = found.emplace_back();
    for (const auto& direction : directions) at.push_back(dot(row, direction));
  }
  return found;
}

Parts widest_gap(const Rows& rows, std::size_t least) {
  Parts parts;
  parts.of_row.assign(rows.size(), -1);
  if (rows.size() < 2 * least) return parts;
  const auto merges = Linkage(rows).merges();
  std::vector<std::uint32_t> parent(rows.size());
  std::vector<std::size_t> sizes(rows.size(), 1);
  const auto reset = [&] {
    std::iota(parent.begin(), parent.end(), 0U);
    std::fill(sizes.begin(), sizes.end(), 1U);
  };
  const auto root = [&](std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  std::size_t alone = rows.size();  // rows in groups that are too small for a part
  // Merges two, and says whether neither was just a few isolated rows.
  const auto join = [&](const Merge& merge) {
    const auto one = root(merge.one), two = root(merge.two);
    const bool is_large = std::min(sizes[one], sizes[two]) >= least;
    for (const auto of : {one, two})
      if (sizes[of] < least && sizes[one] + sizes[two] >= least) alone -= sizes[of];
    parent[one] = two;
    sizes[two] += sizes[one];
    return is_large;
  };
  reset();
  std::vector<float> heights;           // of merges of two parts
  std::vector<std::size_t> alone_then;  // before each of them
  for (const Merge& merge : merges) {
    alone_then.push_back(alone);
    if (join(merge))
      heights.push_back(merge.height);
    else
      alone_then.pop_back();
  }
  // Parts with so few rows would be chance.
  const std::size_t most_parts = std::max<std::size_t>(2, rows.size() / (2 * least));
  // Below the distances inside parts, many rows are still alone.
  const std::size_t most_alone = std::max<std::size_t>(1, rows.size() / 50);
  float limit = 0;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    if (heights.size() - i + 1 > most_parts || alone_then[i] > most_alone) continue;
    const float inside = std::max(i > 0 ? heights[i - 1] : 0, 1e-3F);
    const double gap = heights[i] / inside;
    if (gap <= parts.gap) continue;
    parts.gap = gap;
    limit = heights[i];
  }
  if (limit == 0) return parts;
  reset();
  for (const Merge& merge : merges)
    if (merge.height < limit) join(merge);
  std::map<std::uint32_t, int> numbers;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const auto of = root(i);
    if (sizes[of] < least) continue;
    const auto known = numbers.try_emplace(of, parts.count);
    parts.count += known.second;
    parts.of_row[i] = known.first->second;
  }
  return parts;
}

}  // namespace ptxlat::memory
