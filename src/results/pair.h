// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace ptxlat::results {

// Two SASS opcodes of which the second depends on the first; a row of pairs.csv.
//   slot      where the consumer reads the result: "a", "b", "c" … (source operands, conditions not counted),
//             "predicate", "carry", "guard", "a+b" for several. "waw" and "war": it overwrites the producer's result,
//             or its source
//   schedule  cycles that the assembler leaves between them at least; empty if it leaves the wait to a scoreboard
//   measured  cycles from issue to issue in that schedule
//   hazard    the lowest distance, in cycles, at which all values are right
//   verdict   docs/opcodes.md
//   is_patched  whether a patched window, or why there is none, is the reason in the note; not in the csv
struct Pair {
  std::string producer, consumer, slot;
  std::optional<double> schedule, measured, hazard;
  std::string verdict;
  std::string note;
  bool is_patched = false;

  bool operator==(const Pair&) const = default;
};

inline bool is_overwriting(const Pair& pair) { return pair.slot == "waw" || pair.slot == "war"; }

}  // namespace ptxlat::results
