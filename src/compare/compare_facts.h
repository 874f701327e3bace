// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tables/probe_files.h"

namespace ptxlat::compare {

// The difference of a fact between two tables.
enum class FactChange {
  equal,          // one side's value is in the other's range, or the words are the same
  other_value,    // each value is outside the other's range, or the words differ
  other_verdict,  // one side has a value and the other does not, or the verdicts differ
  only_in_a,
  only_in_b,
};
const char* to_string(FactChange change);  // "other_value", for programs
const char* words(FactChange change);      // "different value", for people

// The pointers are into the tables' facts, null if that side has no such fact.
struct FactDifference {
  const tables::TableFact* a = nullptr;
  const tables::TableFact* b = nullptr;
  FactChange change = FactChange::equal;

  const tables::TableFact& either() const { return a ? *a : *b; }
};

struct FactComparison {
  std::vector<FactDifference> rows;             // those that differ, in the order of FactChange
  std::vector<const tables::TableFact*> equal;  // of a
  std::size_t of_other_cards = 0;               // facts with scope `card` from different or unknown cards
};
// Facts matched by probe, quantity and condition. Facts with scope `card` are compared only if both come from the same
// card.
FactComparison compare_facts(const std::vector<tables::TableFact>& a, const std::vector<tables::TableFact>& b);

// The number of facts for each change, without equal ones.
std::vector<std::pair<FactChange, std::size_t>> counts_of(const FactComparison& facts);

// b − a and b / a if both are numbers with the same unit; the ratio only if both are positive.
std::optional<double> change_of(const FactDifference& row);
std::optional<double> ratio_of(const FactDifference& row);

}  // namespace ptxlat::compare
