// SPDX-License-Identifier: Apache-2.0
#include "infer/fetch.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/quantile.h"

namespace ptxlat::infer {

using results::FactVerdict;

namespace {

Finding undetermined(const std::string& why) { return {std::nullopt, 0, 0, why}; }

}  // namespace

Finding find_spacing(const Curve& all, double least) {
  // A clock that the assembler reads later than its neighbours is late itself, and its successor early, which wraps.
  constexpr double wrapped = 2147483648.0;
  Curve curve;
  for (std::size_t i = 0; i < all.y.size(); ++i) {
    if (all.y[i] >= wrapped || (i + 1 < all.y.size() && all.y[i + 1] >= wrapped)) continue;
    curve.x.push_back(all.x[i]);
    curve.y.push_back(all.y[i]);
  }
  if (curve.empty()) return undetermined("there are no values");
  const double usual = quantile_of(curve.y, 0.25);  // half of them may be late
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < curve.y.size(); ++i) {
    if (curve.y[i] - usual > least) places.push_back(std::llround(curve.x[i]));
  }
  constexpr std::size_t fewest = 4;
  if (places.size() < fewest)
    return undetermined(fmt::format("{} of {} values stand out of {:.4g}", places.size(), curve.y.size(), usual));
  std::int64_t spacing = 0;
  const auto chosen = (places.size() + 1) / 2, held_out = places.size() - chosen;
  for (std::size_t i = 1; i < chosen; ++i) spacing = std::gcd(spacing, places[i] - places.front());
  std::size_t predicted = 0;
  for (std::size_t i = chosen; i < places.size(); ++i) predicted += (places[i] - places.front()) % spacing == 0 ? 1 : 0;
  const auto how = fmt::format("{} values stand out of {:.4g}; the first half predicted {} of {} others", places.size(),
                               usual, predicted, held_out);
  if (predicted < held_out) return undetermined(how);
  const auto value = static_cast<double>(spacing);
  return {value, value, value, how, FactVerdict::inferred};
}

Finding find_disturbed(const FactRule& rule, const Curve& curve, double slack) {
  constexpr std::size_t levels = 4;
  if (rule.levels.size() < levels) return undetermined("`levels` needs four names");
  if (curve.y.size() < levels) return undetermined("there are too few places");
  std::size_t disturbed = 0;
  for (std::size_t i = 1; i < curve.y.size(); ++i) disturbed += curve.y[i] - curve.y.front() > slack ? 1 : 0;
  const std::size_t level = disturbed < 2 ? disturbed : 2 * disturbed < curve.y.size() ? 2 : 3;
  Finding found = undetermined(
      fmt::format("{} of {} are slower than the first, {:.4g}", disturbed, curve.y.size() - 1, curve.y.front()));
  found.word = rule.levels[level];
  return found;
}

}  // namespace ptxlat::infer
