// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ptxlat::opcodes {

// Times of two instructions that share a loop, in cycles of one loop.
//   work_a, work_b  the time that the copies of each need on a separate pipe: with nothing in the other's places, or,
//                   where issuing takes longer than that, from the interval of the opcode alone
//   together        the loop with both
//   nothing         the loop with instructions that do nothing instead: the time to issue
struct ContentionTimes {
  double work_a = 0, work_b = 0;
  double together = 0;
  double nothing = 0;
};

// The position of the time together between that of two pipes, 0, and that of one, 1. Empty if issuing takes as long as
// one pipe would: then it is undecidable.
std::optional<double> contention_of(const ContentionTimes& times);

// Two instructions and their contention, by their numbers.
struct Contention {
  std::size_t a = 0, b = 0;
  std::optional<double> score;
};

// The pipes of this many instructions: groups in which all known pairs contend (complete linkage), beginning with those
// whose members contend with the same others. An instruction about which nothing is known is a separate group, and
// scores far above 1 say nothing. Numbers from 0, in the order of their first members.
std::vector<int> pipes_of(std::size_t instructions, const std::vector<Contention>& contention);

}  // namespace ptxlat::opcodes
