// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "compare/compare_write.h"
#include "results/json.h"
#include "tables/csv.h"
#include "tables/number.h"

namespace ptxlat::compare {

namespace {

// "128", "280.5 (275 to 285)"; "undetermined" if there is no value.
std::string value_text(const tables::TableFact* side) {
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
    tables::write_csv_field(out, field);
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
    grid.rows.push_back({tables::code(any.fact.quantity, tables::Colour::bold), any.fact.condition, value_text(row.a),
                         value_text(row.b), change_text(row), any.fact.unit, words(row.change), any.probe});
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
