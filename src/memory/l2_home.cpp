// SPDX-License-Identifier: Apache-2.0
#include "memory/l2_home.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <bit>
#include <cmath>

#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

using Matrix = std::vector<std::vector<double>>;  // [SM][line]

void subtract_means(Matrix& matrix) {
  const std::size_t lines = matrix.front().size();
  for (auto& row : matrix) {
    double sum = 0;
    for (const double value : row) sum += value;
    for (double& value : row) value -= sum / static_cast<double>(lines);
  }
  for (std::size_t line = 0; line < lines; ++line) {
    double sum = 0;
    for (const auto& row : matrix) sum += row[line];
    for (auto& row : matrix) row[line] -= sum / static_cast<double>(matrix.size());
  }
}

// The lines' part of the strongest pattern in which SMs and lines interact: the first right singular vector, with the
// signs of the SM whose row is the strongest. Near and far change a whole row at once; distances to slices change
// little.
std::vector<double> strongest_pattern(const Matrix& matrix) {
  Eigen::MatrixXd values(static_cast<Eigen::Index>(matrix.size()), static_cast<Eigen::Index>(matrix.front().size()));
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    values.row(i) = Eigen::Map<const Eigen::RowVectorXd>(matrix[static_cast<std::size_t>(i)].data(), values.cols());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(values.transpose() * values);
  Eigen::Index strongest = 0;
  values.rowwise().squaredNorm().maxCoeff(&strongest);
  const Eigen::VectorXd direction = solver.eigenvectors().rightCols<1>();  // of the greatest eigenvalue
  const Eigen::VectorXd lines = direction * (values.row(strongest).dot(direction) < 0 ? -1 : 1);
  return {lines.begin(), lines.end()};
}

}  // namespace

std::vector<int> Homes::sms_of(int side, std::size_t most) const {
  std::vector<int> all;
  for (const Sm& one : sms)
    if (one.side == side) all.push_back(one.sm);
  std::vector<int> some;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i)
    some.push_back(all[i * all.size() / std::min(most, all.size())]);
  return some;
}

Homes find_homes(L2Talk& talk) {
  constexpr std::size_t line_count = 96;
  constexpr int most_sms = 192;
  Homes homes;
  homes.reason = "one partition, or all SMs are near to the same one";
  if (!talk.has("atom")) {
    homes.reason = "needs atomics, which are performed at a line's home";
    return homes;
  }
  const auto sms = talk.spread_sms(most_sms);
  if (sms.size() < 2) return homes;
  const Lines lines = talk.random_lines(line_count);
  Matrix cycles;
  for (const int sm : sms) cycles.push_back(talk.hot(lines, "atom", sm, 5));
  Matrix centred = cycles;
  subtract_means(centred);
  const auto pattern = strongest_pattern(centred);

  // Each SM's mean over the lines of each sign; the remainder is distances.
  double apart = 0, rest = 0;
  std::size_t right = 0;
  const auto positive =
      static_cast<double>(std::count_if(pattern.begin(), pattern.end(), [](double p) { return p > 0; }));
  const double negative = static_cast<double>(line_count) - positive;
  if (std::min(positive, negative) < 0.1 * line_count) return homes;
  std::vector<Homes::Sm> found;
  for (std::size_t s = 0; s < sms.size(); ++s) {
    double mean[2] = {0, 0};
    for (std::size_t l = 0; l < line_count; ++l)
      mean[pattern[l] > 0] += cycles[s][l] / (pattern[l] > 0 ? positive : negative);
    found.push_back({sms[s], mean[1] < mean[0] ? 1 : 0, (mean[0] + mean[1]) / 2});
    apart += std::abs(mean[1] - mean[0]) / static_cast<double>(sms.size());
    for (std::size_t l = 0; l < line_count; ++l) {
      rest += std::abs(cycles[s][l] - mean[pattern[l] > 0]);
      right += (cycles[s][l] < found.back().middle) == (mean[pattern[l] > 0] < found.back().middle);
    }
  }
  const auto cells = static_cast<double>(sms.size() * line_count);
  rest /= cells;
  const auto near_one = std::count_if(found.begin(), found.end(), [](const auto& one) { return one.side == 1; });
  const bool has_both = near_one > 0 && near_one < static_cast<std::ptrdiff_t>(found.size());
  if (!has_both || static_cast<double>(right) < 0.97 * cells || apart < 4 * rest) {
    homes.reason += fmt::format(": {:.0f} cycles apart, {:.1f} beside; {:.3f} of atomics as the sides predict", apart,
                                rest, static_cast<double>(right) / cells);
    return homes;
  }
  if (found.front().side == 1)
    for (auto& one : found) one.side = 1 - one.side;
  homes.sms = std::move(found);
  homes.apart = apart;
  homes.reason.clear();
  return homes;
}

results::Fact sides_fact(const Homes& homes) {
  std::string sides;
  for (const auto& one : homes.sms) sides += fmt::format("{}{}", sides.empty() ? "" : " ", one.side);
  auto fact = series::inferred(
      "l2.sm_sides", sides, "count",
      fmt::format("in the order of the SMs: which lines' atomics take {:.0f} cycles more", homes.apart), homes.reason);
  fact.scope = "card";
  if (homes.are_two()) fact.verdict = results::FactVerdict::measured;
  return fact;
}

std::vector<int> homes_of(L2Talk& talk, const Homes& homes, const Lines& lines) {
  std::vector<int> sides(lines.size(), 0);
  if (!homes.are_two()) return sides;
  // How much longer an access to the line takes from side 0 than from side 1.
  std::vector<double> scores(lines.size(), 0);
  for (const int side : {0, 1}) {
    const auto sms = homes.sms_of(side, 2);
    for (const int sm : sms) {
      const auto known =
          std::find_if(homes.sms.begin(), homes.sms.end(), [&](const auto& one) { return one.sm == sm; });
      const auto cycles = talk.hot(lines, "atom", sm, 3);
      for (std::size_t i = 0; i < lines.size(); ++i)
        scores[i] += (side == 0 ? 1 : -1) * (cycles[i] - known->middle) / static_cast<double>(sms.size());
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) sides[i] = scores[i] > 0 ? 1 : 0;
  return sides;
}

Lines lines_at(L2Talk& talk, const Homes& homes, int side, std::size_t count) {
  Lines found;
  for (int attempt = 0; attempt < 20 && found.size() < count; ++attempt) {
    const Lines lines = talk.random_lines(2 * count + 8);
    const auto sides = homes_of(talk, homes, lines);
    for (std::size_t i = 0; i < lines.size() && found.size() < count; ++i)
      if (sides[i] == side) found.push_back(lines[i]);
  }
  return found;
}

HomeMask find_home_mask(L2Talk& talk, const Homes& homes) {
  constexpr std::size_t tries = 64, held_out = 256, least_pairs = 16;
  HomeMask found;
  found.facts.reserve(2);  // references to both are kept
  results::Fact& mask = found.facts.emplace_back(series::inferred("l2.home_mask", "", "text", "", homes.reason));
  results::Fact& granule = found.facts.emplace_back(series::inferred("l2.home_granule", "", "bytes", "", homes.reason));
  mask.scope = granule.scope = "card";
  if (!homes.are_two()) return found;

  const int top = static_cast<int>(std::bit_width(talk.info().bytes)) - 1;
  const int low = 4;
  const Lines bases = talk.random_lines(tries);
  const auto sides = homes_of(talk, homes, bases);
  std::string shares;
  int page_bit = low;
  bool is_open = true;  // no bit has varied yet
  for (int bit = low; bit < top; ++bit) {
    Lines flipped;
    std::vector<int> expected;
    for (std::size_t i = 0; i < bases.size(); ++i) {
      const std::uint64_t other = bases[i] ^ (std::uint64_t{1} << bit);
      if (other >= talk.info().bytes) continue;
      flipped.push_back(other);
      expected.push_back(sides[i]);
    }
    if (flipped.size() < least_pairs) break;
    const auto now = homes_of(talk, homes, flipped);
    std::size_t differ = 0;
    for (std::size_t i = 0; i < now.size(); ++i) differ += now[i] != expected[i];
    const double share = static_cast<double>(differ) / static_cast<double>(now.size());
    shares += fmt::format("{}{}:{:.2f}", shares.empty() ? "" : " ", bit, share);
    if (share > 0.1 && share < 0.9) is_open = false;
    // Beyond a page, a pattern that holds here by chance holds nowhere else.
    const auto page = talk.info().page_bytes;
    if (page != 0 && std::uint64_t{1} << bit >= page) is_open = false;
    if (!is_open) continue;
    page_bit = bit + 1;
    if (share >= 0.9) found.mask |= std::uint64_t{1} << bit;
  }
  const std::string seen = fmt::format("share of lines whose home differs when one bit is flipped: {}", shares);
  mask.how = granule.how = seen;
  if (found.mask == 0) return found;

  Lines first = talk.random_lines(held_out), second;
  for (auto& line : first) {
    std::uint64_t other = line ^ (talk.random()() % (std::uint64_t{1} << page_bit));
    if (other >= talk.info().bytes) other = line;
    second.push_back(other);
  }
  const auto one = homes_of(talk, homes, first), two = homes_of(talk, homes, second);
  std::size_t right = 0;
  for (std::size_t i = 0; i < held_out; ++i)
    right += ((one[i] != two[i]) == (std::popcount((first[i] ^ second[i]) & found.mask) % 2 == 1));
  mask.how = granule.how = fmt::format(
      "granularity {} bytes, inside blocks of {} bytes, up to a constant for each: {} of {} fresh pairs of "
      "lines as predicted; {}",
      std::uint64_t{1} << std::countr_zero(found.mask), std::uint64_t{1} << page_bit, right, held_out, seen);
  if (static_cast<double>(right) < 0.97 * held_out) {
    found.mask = 0;
    return found;
  }
  const std::uint64_t bytes = std::uint64_t{1} << std::countr_zero(found.mask);
  mask.value = fmt::format("{:#x}", found.mask);
  granule.value = fmt::format("{}", bytes);
  granule.low = granule.high = static_cast<double>(bytes);
  mask.verdict = granule.verdict = results::FactVerdict::inferred;
  return found;
}

}  // namespace ptxlat::memory
