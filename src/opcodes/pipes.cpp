// SPDX-License-Identifier: Apache-2.0
#include "opcodes/pipes.h"

#include <algorithm>
#include <map>

namespace ptxlat::opcodes {

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

// Wide operands bring two on different pipes to 0.55: they contend for registers.
constexpr double one_pipe = 0.8;

// How alike two instructions are: the share of all others with which both contend, or neither does. Of a LOP3's two
// partners, an IADD3 contends with what it contends with; a DADD, which only meets its operands, does not.
double alikeness(std::size_t x, std::size_t y, std::size_t instructions, const Scores& scores) {
  int known = 0, alike = 0;
  for (std::size_t other = 0; other < instructions; ++other) {
    if (other == x || other == y) continue;
    const auto of_x = scores.find(std::minmax(x, other)), of_y = scores.find(std::minmax(y, other));
    if (of_x == scores.end() || of_y == scores.end()) continue;
    ++known;
    alike += (of_x->second > one_pipe) == (of_y->second > one_pipe) ? 1 : 0;
  }
  return known == 0 ? 1 : static_cast<double>(alike) / known;
}

// The mean over members of two groups.
double alikeness(const std::vector<std::size_t>& x, const std::vector<std::size_t>& y,
                 const std::vector<std::vector<double>>& alike) {
  double sum = 0;
  for (const auto a : x) {
    for (const auto b : y) sum += alike[a][b];
  }
  return sum / static_cast<double>(x.size() * y.size());
}

}  // namespace

std::vector<int> pipes_of(std::size_t instructions, const std::vector<Contention>& contention) {
  // One pipe takes the sum, and up to a fifth more where operands meet. Two that take far more were slower beside each
  // other than alone: registers of one bank, or a warp held up before a full queue. That says nothing about pipes.
  constexpr double most = 1.25;
  Scores scores;
  for (const auto& [a, b, score] : contention) {
    if (score && *score <= most) scores[std::minmax(a, b)] = *score;
  }
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < instructions; ++i) groups.push_back({i});
  std::vector<std::vector<double>> alike(instructions, std::vector<double>(instructions, 1));
  for (const auto& [pair, score] : scores)
    alike[pair.first][pair.second] = alike[pair.second][pair.first] =
        alikeness(pair.first, pair.second, instructions, scores);
  for (;;) {
    double best = -1;
    std::pair<std::size_t, std::size_t> nearest{0, 0};
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t j = i + 1; j < groups.size(); ++j) {
        const auto score = linkage(groups[i], groups[j], scores);
        if (!score || *score <= one_pipe) continue;
        const double likeness = alikeness(groups[i], groups[j], alike);
        if (likeness <= best) continue;
        best = likeness;
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

}  // namespace ptxlat::opcodes
