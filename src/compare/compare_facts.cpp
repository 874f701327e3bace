// SPDX-License-Identifier: Apache-2.0
#include "compare/compare_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/csv.h"
#include "base/named_values.h"
#include "compare/compare_write.h"
#include "results/json.h"
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

constexpr NamedValues<FactChange, 5> change_names = {{{FactChange::equal, "equal"},
                                                      {FactChange::other_value, "other_value"},
                                                      {FactChange::other_verdict, "other_verdict"},
                                                      {FactChange::only_in_a, "only_in_a"},
                                                      {FactChange::only_in_b, "only_in_b"}}};
constexpr NamedValues<FactChange, 5> change_words = {{{FactChange::equal, "equal"},
                                                      {FactChange::other_value, "different value"},
                                                      {FactChange::other_verdict, "different verdict"},
                                                      {FactChange::only_in_a, "only in A"},
                                                      {FactChange::only_in_b, "only in B"}}};

}  // namespace

const char* to_string(FactChange change) { return name_in(change_names, change); }
const char* words(FactChange change) { return name_in(change_words, change); }

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

namespace {

// "128", "280.5 (275 to 285)"; "undetermined" if there is no value.
std::string fact_value_text(const tables::TableFact* side) {
  if (!side) return "-";
  const results::Fact& fact = side->fact;
  if (fact.value.empty()) return to_string(fact.verdict);
  if (!fact.low || !fact.high || fact.low == fact.high) return fact.value;
  return fmt::format("{} ({:.6g} to {:.6g})", fact.value, *fact.low, *fact.high);
}

std::string change_text(const FactDifference& row) {
  const auto change = change_of(row), ratio = ratio_of(row);
  if (!change) return "";
  return ratio ? fmt::format("{} (×{:.3g})", tables::signed_decimal(*change), *ratio) : tables::signed_decimal(*change);
}

std::string counts_text(const FactComparison& facts) {
  std::string text = fmt::format("{} equal", facts.equal.size());
  for (const auto& [change, count] : counts_of(facts)) text += fmt::format(", {} {}", count, words(change));
  if (facts.of_other_cards != 0)
    text += fmt::format("; {} of scope card are left out, since the cards differ", facts.of_other_cards);
  return text;
}

// Each quantity once, whatever its conditions.
std::string names_of(const std::vector<const tables::TableFact*>& facts) {
  std::vector<std::string> names;
  for (const tables::TableFact* fact : facts) {
    if (std::find(names.begin(), names.end(), fact->fact.quantity) == names.end()) names.push_back(fact->fact.quantity);
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

results::Json side_json(const tables::TableFact* side) {
  if (!side) return nullptr;
  const results::Fact& fact = side->fact;
  return {{"value", fact.value},
          {"low", results::json_number(fact.low)},
          {"high", results::json_number(fact.high)},
          {"unit", fact.unit},
          {"scope", fact.scope},
          {"verdict", to_string(fact.verdict)},
          {"how", fact.how}};
}

void write_fact_row(std::ostream& out, const Comparison& comparison, const FactDifference& row) {
  std::vector<std::string> fields{comparison.a.label,         comparison.b.label,          row.either().probe,
                                  row.either().fact.quantity, row.either().fact.condition, to_string(row.change)};
  const auto both = [&](auto text) {
    for (const tables::TableFact* side : {row.a, row.b}) fields.push_back(side ? text(side->fact) : std::string());
  };
  both([](const results::Fact& fact) { return fact.value; });
  both([](const results::Fact& fact) { return tables::decimal(fact.low); });
  both([](const results::Fact& fact) { return tables::decimal(fact.high); });
  both([](const results::Fact& fact) { return fact.unit; });
  fields.push_back(tables::decimal(change_of(row)));
  fields.push_back(tables::decimal(ratio_of(row)));
  both([](const results::Fact& fact) { return std::string(to_string(fact.verdict)); });
  both([](const results::Fact& fact) { return fact.how; });
  const char* separator = "";
  for (const std::string& field : fields) {
    out << separator;
    write_csv_field(out, field);
    separator = ",";
  }
  out << '\n';
}

}  // namespace

void write_facts_section(tables::Page& page, const FactComparison& facts) {
  page.paragraph({{"Facts of the machine", tables::Colour::bold}, ": " + counts_text(facts)});
  if (!facts.equal.empty()) page.paragraph({"Equal: " + names_of(facts.equal)});
  const std::size_t count = page.shown(facts.rows.size());
  if (count == 0) return;
  tables::Grid grid{{{"quantity"}, {"condition"}, {"A"}, {"B"}, {"change"}, {"unit"}, {"fact"}, {"probe"}}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const FactDifference& row = facts.rows[i];
    const tables::TableFact& any = row.either();
    grid.rows.push_back({tables::code(any.fact.quantity, tables::Colour::bold), any.fact.condition,
                         fact_value_text(row.a), fact_value_text(row.b), change_text(row), any.fact.unit,
                         words(row.change), any.probe});
  }
  page.table(grid);
  page.left_out(facts.rows.size());
}

void write_facts_csv(std::ostream& out, const std::vector<Group>& groups) {
  out << "a,b,probe,quantity,condition,cause,value_a,value_b,low_a,low_b,high_a,high_b,unit_a,unit_b,change,ratio,"
         "verdict_a,verdict_b,how_a,how_b\n";
  for (const Group& group : groups) {
    for (const Comparison& comparison : group.comparisons) {
      if (!comparison.facts) continue;
      for (const FactDifference& row : comparison.facts->rows) write_fact_row(out, comparison, row);
    }
  }
}

results::Json facts_json(const FactComparison& facts) {
  results::Json json = {{"equal", facts.equal.size()}, {"of_other_cards", facts.of_other_cards}};
  results::Json& causes = json["causes"] = results::Json::object();
  for (const auto& [change, count] : counts_of(facts)) causes[to_string(change)] = count;
  results::Json& rows = json["rows"] = results::Json::array();
  for (const FactDifference& row : facts.rows) {
    rows.push_back({{"probe", row.either().probe},
                    {"quantity", row.either().fact.quantity},
                    {"condition", row.either().fact.condition},
                    {"cause", to_string(row.change)},
                    {"change", results::json_number(change_of(row))},
                    {"ratio", results::json_number(ratio_of(row))},
                    {"a", side_json(row.a)},
                    {"b", side_json(row.b)}});
  }
  return json;
}

}  // namespace ptxlat::compare
