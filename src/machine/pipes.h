#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ptxlat::machine {

// How long two instructions took together that have a loop to share. Times in cycles of one loop.
//   work_a, work_b  what the copies of each take of a pipe of their own, by the intervals measured alone
//   together        the loop with both
//   nothing         the loop with instructions that do nothing in their places: what issuing takes
struct ContentionTimes {
  double work_a = 0, work_b = 0;
  double together = 0;
  double nothing = 0;
};

// Where the time together lies between that of two pipes, 0, and that of one, 1. Empty where issuing takes as long as
// one pipe would: then there is no telling.
std::optional<double> contention_of(const ContentionTimes& times);

// Two instructions and their contention, by their numbers.
struct Contention {
  std::size_t a = 0, b = 0;
  std::optional<double> score;
};

// The pipes of so many instructions: groups in which all pairs that are known meet, by complete linkage. An
// instruction of which nothing is known is a group of its own. Numbers from 0, in the order of their first members.
std::vector<int> pipes_of(std::size_t instructions, const std::vector<Contention>& contention);

}  // namespace ptxlat::machine
