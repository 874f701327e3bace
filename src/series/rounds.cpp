// SPDX-License-Identifier: Apache-2.0
#include "series/rounds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace ptxlat::series {

using results::Fact;
using results::FactVerdict;
using results::Series;

std::vector<Series> rounds_of(const Series& series) {
  if (series.axes.empty() || series.axes.front().name != round_axis) return {series};
  const std::size_t count = series.axes.front().values.size();
  const auto length = static_cast<std::ptrdiff_t>(series.values.size() / count);
  std::vector<Series> rounds;
  for (auto begin = series.values.begin(); rounds.size() < count; begin += length)
    rounds.push_back({series.name, series.unit, {series.axes.begin() + 1, series.axes.end()}, {begin, begin + length}});
  return rounds;
}

namespace {

double number_in(const Fact& fact) {
  double value = 0;
  std::from_chars(fact.value.data(), fact.value.data() + fact.value.size(), value);
  return value;
}

// Values are printed with six digits.
bool is_within(const Fact& fact, double value) {
  const double printed = 1e-5 * std::abs(value);
  return value >= *fact.low - printed && value <= *fact.high + printed;
}

bool agrees(const Fact& fact, const Fact& middle) {
  if (fact.value.empty()) return false;
  return middle.low && middle.high ? is_within(middle, number_in(fact)) : fact.value == middle.value;
}

// Noise spoils a round now and then; a fact that needs all of them would be there in one run and not in the next. One
// in nine may even say something else: of fewer, that could be as good as what the others say.
bool holds(std::size_t agreeing, std::size_t known, std::size_t rounds) {
  return 3 * agreeing >= 2 * rounds && known - agreeing <= rounds / 9;
}

int strength(FactVerdict verdict) {
  return verdict == FactVerdict::inferred ? 2 : verdict == FactVerdict::measured ? 1 : 0;
}

}  // namespace

Fact agreed(const std::vector<Fact>& rounds) {
  if (rounds.size() == 1) return rounds.front();
  auto sorted = rounds;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Fact& a, const Fact& b) {
    return std::pair(a.value.empty(), number_in(a)) < std::pair(b.value.empty(), number_in(b));
  });
  const auto known = static_cast<std::size_t>(
      std::count_if(sorted.begin(), sorted.end(), [](const Fact& fact) { return !fact.value.empty(); }));
  if (known == 0) return rounds.front();
  Fact middle = sorted[(known - 1) / 2];
  std::vector<Fact> agreeing;
  std::copy_if(rounds.begin(), rounds.end(), std::back_inserter(agreeing),
               [&](const Fact& fact) { return agrees(fact, middle); });
  if (holds(agreeing.size(), known, rounds.size())) {
    for (const auto& fact : agreeing) {
      if (strength(fact.verdict) < strength(middle.verdict)) middle.verdict = fact.verdict;
    }
    const auto of_all = agreeing.size() == rounds.size() ? "" : fmt::format("{} of ", agreeing.size());
    middle.how += fmt::format("; the same in {}{} rounds", of_all, rounds.size());
    return middle;
  }
  std::vector<std::string> found;
  for (const auto& fact : rounds) found.push_back(fact.value.empty() ? "undetermined" : fact.value);
  middle.how = fmt::format("not the same in {} rounds: {}; {}", rounds.size(), fmt::join(found, ", "),
                           known == rounds.size() ? middle.how : sorted.back().how);
  middle.value.clear();
  middle.low.reset();
  middle.high.reset();
  middle.verdict = FactVerdict::undetermined;
  return middle;
}

}  // namespace ptxlat::series
