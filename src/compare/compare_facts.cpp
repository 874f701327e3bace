// SPDX-License-Identifier: Apache-2.0
#include "compare/compare_facts.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "tables/csv.h"
#include "tables/number.h"

namespace ptxlat::compare {

namespace {

// Two records of a probe, at two levels, have each of its facts twice: the first is matched with the first.
using FactKey = std::tuple<std::string, std::string, std::string, std::size_t>;
std::map<FactKey, const tables::TableFact*> by_key(const std::vector<tables::TableFact>& facts) {
  std::map<FactKey, const tables::TableFact*> keyed;
  for (const tables::TableFact& fact : facts) {
    FactKey key{fact.probe, fact.fact.quantity, fact.fact.condition, 0};
    while (!keyed.emplace(key, &fact).second) ++std::get<3>(key);
  }
  return keyed;
}

bool is_in_range(double value, const results::Fact& fact, double own) {
  return value >= fact.low.value_or(own) && value <= fact.high.value_or(own);
}

FactChange change_between(const results::Fact& a, const results::Fact& b) {
  if (a.value.empty() != b.value.empty()) return FactChange::other_verdict;
  const auto number_a = tables::number_in(a.value), number_b = tables::number_in(b.value);
  const bool are_numbers = number_a && number_b && a.unit == b.unit;
  const bool are_equal = are_numbers ? is_in_range(*number_a, b, *number_b) || is_in_range(*number_b, a, *number_a)
                                     : a.value == b.value && a.unit == b.unit;
  if (!are_equal) return FactChange::other_value;
  return a.verdict == b.verdict ? FactChange::equal : FactChange::other_verdict;
}

// Facts of one card say nothing about a different one. If one side does not have the fact, its card is that of its
// table.
struct Cards {
  std::string a, b;
};
bool is_comparable(const tables::TableFact* a, const tables::TableFact* b, const Cards& cards) {
  const bool is_of_card = (a && a->fact.scope == "card") || (b && b->fact.scope == "card");
  const std::string &card_a = a ? a->card : cards.a, &card_b = b ? b->card : cards.b;
  return !is_of_card || (!card_a.empty() && card_a == card_b);
}

}  // namespace

const char* to_string(FactChange change) {
  switch (change) {
    case FactChange::equal:
      return "equal";
    case FactChange::other_value:
      return "other_value";
    case FactChange::other_verdict:
      return "other_verdict";
    case FactChange::only_in_a:
      return "only_in_a";
    case FactChange::only_in_b:
      return "only_in_b";
  }
  return "?";
}

const char* words(FactChange change) {
  switch (change) {
    case FactChange::equal:
      return "equal";
    case FactChange::other_value:
      return "different value";
    case FactChange::other_verdict:
      return "different verdict";
    case FactChange::only_in_a:
      return "only in A";
    case FactChange::only_in_b:
      return "only in B";
  }
  return "?";
}

FactComparison compare_facts(const std::vector<tables::TableFact>& a, const std::vector<tables::TableFact>& b) {
  const auto of_a = by_key(a), of_b = by_key(b);
  const Cards cards{a.empty() ? "" : a.front().card, b.empty() ? "" : b.front().card};
  FactComparison comparison;
  const auto add = [&](const tables::TableFact* in_a, const tables::TableFact* in_b, FactChange change) {
    if (!is_comparable(in_a, in_b, cards)) {
      ++comparison.of_other_cards;
    } else if (change == FactChange::equal) {
      comparison.equal.push_back(in_a);
    } else {
      comparison.rows.push_back({in_a, in_b, change});
    }
  };
  for (const auto& [key, fact] : of_a) {
    const auto other = of_b.find(key);
    if (other == of_b.end()) {
      add(fact, nullptr, FactChange::only_in_a);
    } else {
      add(fact, other->second, change_between(fact->fact, other->second->fact));
    }
  }
  for (const auto& [key, fact] : of_b) {
    if (!of_a.contains(key)) add(nullptr, fact, FactChange::only_in_b);
  }
  std::stable_sort(comparison.rows.begin(), comparison.rows.end(),
                   [](const FactDifference& x, const FactDifference& y) { return x.change < y.change; });
  return comparison;
}

std::vector<std::pair<FactChange, std::size_t>> counts_of(const FactComparison& facts) {
  std::map<FactChange, std::size_t> counts;
  for (const FactDifference& row : facts.rows) ++counts[row.change];
  return {counts.begin(), counts.end()};
}

std::optional<double> change_of(const FactDifference& row) {
  if (!row.a || !row.b || row.a->fact.unit != row.b->fact.unit) return std::nullopt;
  const auto a = tables::number_in(row.a->fact.value), b = tables::number_in(row.b->fact.value);
  if (!a || !b) return std::nullopt;
  return *b - *a;
}

std::optional<double> ratio_of(const FactDifference& row) {
  if (!change_of(row)) return std::nullopt;
  const auto a = tables::number_in(row.a->fact.value), b = tables::number_in(row.b->fact.value);
  if (*a <= 0 || *b <= 0) return std::nullopt;
  return *b / *a;
}

}  // namespace ptxlat::compare
