// SPDX-License-Identifier: Apache-2.0
#include "memory/slice_clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/quantile.h"
#include "memory/l2_talk.h"
#include "memory/linkage.h"

namespace ptxlat::memory {

namespace {

constexpr std::size_t least_lines = 4;  // fewer do not count as a slice
// If means of repeats are further apart than the repeats suggest: the clocks of SMs and L2 drift against each other.
constexpr double excess = 1.6;

// The median of some lines.
std::vector<float> middle_of(const Rows& rows, const std::vector<std::size_t>& lines) {
  std::vector<float> middle(rows.front().size());
  for (std::size_t sm = 0; sm < middle.size(); ++sm) {
    std::vector<double> values;
    for (const auto line : lines) values.push_back(rows[line][sm]);
    middle[sm] = static_cast<float>(median_of(std::move(values)));
  }
  return middle;
}

// In units of each SM's noise. Larger deviations than `most` count as `most`: one disturbed latency does not move a
// line to a different slice.
std::vector<float> apart(const std::vector<float>& print, const std::vector<float>& middle,
                         const std::vector<double>& noise) {
  constexpr float most = 8;
  std::vector<float> found(print.size());
  for (std::size_t sm = 0; sm < print.size(); ++sm)
    found[sm] = std::clamp((print[sm] - middle[sm]) / static_cast<float>(noise[sm]), -most, most);
  return found;
}

// The mean square, 1 for noise alone.
double distance_to(const std::vector<float>& centre, const std::vector<float>& print,
                   const std::vector<double>& noise) {
  const auto difference = apart(print, centre, noise);
  return dot(difference, difference) / static_cast<double>(print.size());
}

class Divider {
 public:
  Divider(const Fingerprints& lines, const Fingerprints& held_out) : lines_(lines.of_line), fresh_(held_out.of_line) {
    found_.noise = lines.noise;
  }

  SliceClusters divide() {
    std::vector<std::size_t> all(lines_.size()), fresh(fresh_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i] = i;
    divide(all, fresh);
    if (!owns_.empty()) found_.limit = 2.5 * quantile_of(owns_, 0.9);
    for (const double own : fresh_owns_) found_.strangers += own > found_.limit;
    return found_;
  }

 private:
  Rows centred(const Rows& rows, const std::vector<std::size_t>& some, const std::vector<float>& middle) const {
    Rows found;
    for (const auto i : some) found.push_back(apart(rows[i], middle, found_.noise));
    return found;
  }

  void divide(const std::vector<std::size_t>& lines, const std::vector<std::size_t>& fresh) {
    constexpr std::size_t most_directions = 24;
    constexpr double least_gap = 1.15;
    const auto middle = middle_of(lines_, lines);
    const Rows rows = centred(lines_, lines, middle);
    // The variance of pure noise in its strongest direction (Marchenko and Pastur).
    const auto columns = static_cast<double>(middle.size());
    const double edge = excess * std::pow(1 + std::sqrt(columns / static_cast<double>(lines.size())), 2);
    const Rows directions = directions_of(rows, edge, most_directions);
    if (fresh.size() < least_lines) ++found_.unresolved;
    if (!is_more_than_noise(centred(fresh_, fresh, middle), directions.front())) return keep(lines, fresh, middle);
    const Parts parts = widest_gap(projected(rows, directions), least_lines);
    if (parts.count < 2 || parts.gap < least_gap) {
      ++found_.unresolved;
      return keep(lines, fresh, middle);
    }
    found_.least_gap = found_.least_gap == 0 ? parts.gap : std::min(found_.least_gap, parts.gap);
    found_.alone += static_cast<std::size_t>(std::count(parts.of_row.begin(), parts.of_row.end(), -1));
    std::vector<std::vector<std::size_t>> of_part(static_cast<std::size_t>(parts.count)), fresh_of_part(of_part.size());
    for (std::size_t i = 0; i < lines.size(); ++i)
      if (parts.of_row[i] >= 0) of_part[static_cast<std::size_t>(parts.of_row[i])].push_back(lines[i]);
    const Rows places = projected(rows, directions);
    const Rows at = projected(centred(fresh_, fresh, middle), directions);
    for (std::size_t i = 0; i < fresh.size(); ++i)
      fresh_of_part[static_cast<std::size_t>(part_of(places, parts, at[i]))].push_back(fresh[i]);
    for (std::size_t part = 0; part < of_part.size(); ++part) divide(of_part[part], fresh_of_part[part]);
  }

  // The distance to the closest line, not to the closest mean: parts of several slices are not round.
  static int part_of(const Rows& places, const Parts& parts, const std::vector<float>& at) {
    int part = 0;
    float least = std::numeric_limits<float>::max();
    for (std::size_t line = 0; line < places.size(); ++line) {
      if (parts.of_row[line] < 0) continue;
      float sum = 0;
      for (std::size_t i = 0; i < at.size() && sum < least; ++i)
        sum += (places[line][i] - at[i]) * (places[line][i] - at[i]);
      if (sum >= least) continue;
      least = sum;
      part = parts.of_row[line];
    }
    return part;
  }

  // The variance of held-out lines in the direction in which the others differ most, against that of noise plus six
  // deviations.
  static bool is_more_than_noise(const Rows& fresh, const std::vector<float>& direction) {
    if (fresh.size() < least_lines) return false;
    double sum = 0, squares = 0;
    for (const auto& row : fresh) {
      const double at = dot(row, direction);
      sum += at;
      squares += at * at;
    }
    const auto count = static_cast<double>(fresh.size());
    const double variance = (squares - sum * sum / count) / (count - 1);
    return variance > excess * (1 + 6 * std::sqrt(2 / (count - 1)));
  }

  void keep(const std::vector<std::size_t>& lines, const std::vector<std::size_t>& fresh,
            const std::vector<float>& middle) {
    found_.centres.push_back(middle);
    found_.sizes.push_back(lines.size() + fresh.size());
    for (const auto line : lines) owns_.push_back(distance_to(middle, lines_[line], found_.noise));
    for (const auto line : fresh) fresh_owns_.push_back(distance_to(middle, fresh_[line], found_.noise));
  }

  const Rows& lines_;
  const Rows& fresh_;
  SliceClusters found_;
  std::vector<double> owns_, fresh_owns_;  // distances to their slices' centres
};

}  // namespace

Repeats summary_of(const std::vector<double>& cycles) {
  // The middle one, or the lower of two: disturbances make a latency longer.
  const double middle = quantile_of(cycles, 0.4), allowed = middle / 25;
  Repeats found;
  std::vector<double> pairs;
  double sum = 0, kept = 0;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const auto is_good = [&](std::size_t at) { return std::abs(cycles[at] - middle) <= allowed; };
    if (!is_good(i)) continue;
    sum += cycles[i];
    ++kept;
    if (i % 2 == 1 && is_good(i - 1)) pairs.push_back((cycles[i - 1] + cycles[i]) / 2);
  }
  found.mean = kept > 0 ? sum / kept : middle;
  if (pairs.size() < 2) return found;
  double mean = 0;
  for (const double pair : pairs) mean += pair / static_cast<double>(pairs.size());
  found.variance = 0;
  for (const double pair : pairs)
    found.variance += (pair - mean) * (pair - mean) / static_cast<double>(pairs.size() - 1) / (kept / 2);
  return found;
}

double noise_of(std::vector<double> variances) {
  constexpr double least = 0.2;
  std::erase_if(variances, [](double one) { return one < 0; });
  std::sort(variances.begin(), variances.end());
  variances.resize(variances.size() - variances.size() / 20);  // without the disturbed ones
  double sum = 0;
  for (const double one : variances) sum += one;
  return variances.empty() ? 1 : std::max(least, std::sqrt(sum / static_cast<double>(variances.size())));
}

SliceClusters cluster_slices(const Fingerprints& lines, const Fingerprints& held_out) {
  return Divider(lines, held_out).divide();
}

int slice_of(const SliceClusters& slices, const std::vector<float>& print, const std::vector<std::size_t>& sms) {
  const auto some = [&](const auto& all) {
    std::decay_t<decltype(all)> few;
    for (const auto sm : sms) few.push_back(all[sm]);
    return few;
  };
  const auto noise = some(slices.noise);
  double least = slices.limit;
  int best = -1;
  for (std::size_t i = 0; i < slices.centres.size(); ++i) {
    const double distance = distance_to(some(slices.centres[i]), print, noise);
    if (distance > least) continue;
    least = distance;
    best = static_cast<int>(i);
  }
  return best;
}

Shares shares_of(const std::vector<std::size_t>& sizes, double independent) {
  Shares found;
  if (sizes.empty()) return found;
  double lines = 0;
  const std::vector<double> values(sizes.begin(), sizes.end());
  for (const double one : values) lines += one;
  const double usual = median_of(values);
  const double scale = std::min(1.0, independent / lines);  // fewer lines are less certain
  // Further from its share than a slice is by chance, even one of a hundred slices.
  const double chance = 3.3 * std::sqrt(usual / scale);
  for (const double one : values) {
    const bool is_crowded = one > std::max(usual + chance, 1.45 * usual);
    found.crowded += is_crowded;
    found.sparse += one < std::min(usual - chance, 0.55 * usual);
    found.slices += is_crowded ? std::max<std::size_t>(2, static_cast<std::size_t>(std::round(one / usual))) : 1;
  }
  return found;
}

}  // namespace ptxlat::memory
