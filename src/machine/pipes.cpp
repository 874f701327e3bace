// SPDX-License-Identifier: Apache-2.0
#include "machine/pipes.h"

#include <algorithm>
#include <map>

namespace ptxlat::machine {

std::optional<double> contention_of(const ContentionTimes& times) {
  const double apart = std::max({times.work_a, times.work_b, times.nothing});
  const double one_pipe = times.work_a + times.work_b;
  // Below that, one unrelated cycle per loop would be a tenth of the answer.
  constexpr double least_difference = 1.1;
  if (one_pipe < least_difference * apart) return std::nullopt;
  return (times.together - apart) / (one_pipe - apart);
}

namespace {

using Scores = std::map<std::pair<std::size_t, std::size_t>, double>;

// The smallest score between members of two groups; empty if none is known.
std::optional<double> linkage(const std::vector<std::size_t>& x, const std::vector<std::size_t>& y,
                              const Scores& scores) {
  std::optional<double> least;
  for (const auto a : x) {
    for (const auto b : y) {
      const auto known = scores.find(std::minmax(a, b));
      if (known != scores.end()) least = std::min(least.value_or(known->second), known->second);
    }
  }
  return least;
}

}  // namespace

std::vector<int> pipes_of(std::size_t instructions, const std::vector<Contention>& contention) {
  Scores scores;
  for (const auto& [a, b, score] : contention) {
    if (score) scores[std::minmax(a, b)] = *score;
  }
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < instructions; ++i) groups.push_back({i});
  constexpr double one_pipe = 0.8;  // wide operands bring two on different pipes to 0.55: they contend for registers
  for (;;) {
    double best = one_pipe;
    std::pair<std::size_t, std::size_t> nearest{0, 0};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t j = i + 1; j < groups.size(); ++j) {
        const auto score = linkage(groups[i], groups[j], scores);
        if (!score || *score <= best) continue;
        best = *score;
        nearest = {i, j};
      }
    }
    if (nearest.first == nearest.second) break;
    auto& grown = groups[nearest.first];
    auto& taken = groups[nearest.second];
    grown.insert(grown.end(), taken.begin(), taken.end());
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(nearest.second));
  }
  std::vector<int> pipes(instructions, 0);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const auto member : groups[group]) pipes[member] = static_cast<int>(group);
  }
  return pipes;
}

}  // namespace ptxlat::machine
