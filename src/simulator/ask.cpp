// SPDX-License-Identifier: Apache-2.0
#include "simulator/ask.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "results/json.h"
#include "results/metric.h"
#include "tables/number.h"

namespace ptxlat::simulator {

namespace {

// The rows that a query matches, or why it matches none.
struct Matches {
  std::vector<Found> found;
  std::string why_none;
};

bool is_one_of(const std::string& name, const std::vector<std::string>& globs) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}

bool has_word(const std::string& list, const std::string& wanted) {
  std::istringstream words(list);
  for (std::string word; words >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

bool has_level(const tables::Cell& row, int level) {
  return std::find(row.levels.begin(), row.levels.end(), level) != row.levels.end();
}

// The ptx of the rows that have the numbers of these spellings.
std::set<std::string> rows_of_spellings(const Query& query, const tables::Table& table) {
  const std::set<std::string> wanted(query.wanted.begin(), query.wanted.end());
  std::set<std::string> rows;
  for (const auto& spelling : table.spellings) {
    if (spelling.level == query.level && !spelling.row.empty() && wanted.contains(spelling.ptx))
      rows.insert(spelling.row);
  }
  return table.spellings.empty() ? wanted : rows;
}

Matches in_latencies(const Query& query, const tables::Table& table) {
  const auto names = query.source == Source::form ? rows_of_spellings(query, table) : std::set<std::string>();
  const auto is_wanted = [&](const results::Record& record) {
    if (query.source == Source::form) return names.contains(record.ptx);
    return record.sass_count == 1 && record.sass.size() == 1 && is_one_of(record.sass.front(), query.wanted);
  };
  Matches matches;
  std::string verdict;
  for (const auto& row : table.rows) {
    const auto& record = row.record;
    if (!has_level(row, query.level) || record.input != query.input || !is_wanted(record)) continue;
    if (!query.operand.empty() && !has_word(record.operand, query.operand)) continue;
    const auto number = record.number(query.metric);
    if (record.verdict != sass::Verdict::proven || !number) {
      verdict = to_string(record.verdict);
      continue;
    }
    matches.found.push_back({tables::csv_name,
                             fmt::format("{}, operand {}, O{}", record.ptx, record.operand, query.level),
                             tables::decimal(number), std::string(results::find_metric(query.metric)->unit)});
  }
  if (!matches.found.empty()) return matches;
  matches.why_none = verdict.empty() ? "no row of the latency table matches"
                                     : fmt::format("the matching rows have no {} ({})", query.metric, verdict);
  return matches;
}

// The row says what its throughput counts.
std::string unit_of_opcode(const std::string& metric, const results::Opcode& opcode) {
  if (metric == "pipe") return "";
  if (metric == results::metric::throughput) return opcode.unit + "/clk/SM";
  return std::string(results::find_metric(metric == "latency" ? results::metric::cycles : metric)->unit);
}

Matches in_opcodes(const Query& query, const tables::Table& table) {
  if (table.opcodes.opcodes.empty()) return {{}, "the table has no opcodes.csv (`ptxlat opcodes` measures it)"};
  const auto& column = tables::column_named(tables::opcode_columns(), query.metric);  // the data file was read
  Matches matches;
  for (const auto& opcode : table.opcodes.opcodes) {
    const auto text = column.text(opcode);
    if (!text.empty() && is_one_of(opcode.name, query.wanted))
      matches.found.push_back({tables::opcodes_name, opcode.name, text, unit_of_opcode(query.metric, opcode)});
  }
  if (matches.found.empty())
    matches.why_none = fmt::format("no opcode in opcodes.csv matches and has {}", query.metric);
  return matches;
}

Matches in_facts(const Query& query, const tables::Table& table) {
  Matches matches;
  std::string undetermined;
  std::set<std::string> conditions;
  for (const auto& [probe, fact, card] : table.facts) {
    if (!query.probe.empty() && probe != query.probe) continue;
    if (std::find(query.wanted.begin(), query.wanted.end(), fact.quantity) == query.wanted.end()) continue;
    if (fact.condition != query.condition) {
      conditions.insert(fact.condition.empty() ? "none" : fact.condition);
      continue;
    }
    if (fact.value.empty() || fact.verdict == results::FactVerdict::contradicted) {
      undetermined = to_string(fact.verdict);
      continue;
    }
    const auto separator = fact.condition.empty() ? "" : " ";
    matches.found.push_back({tables::facts_name,
                             fmt::format("{}, {}{}{}", probe, fact.quantity, separator, fact.condition), fact.value,
                             fact.unit});
  }
  if (!matches.found.empty()) return matches;
  if (!undetermined.empty()) {
    matches.why_none = fmt::format("the fact is {}", undetermined);
  } else if (!conditions.empty()) {
    matches.why_none = fmt::format("the fact only exists with the conditions {}", fmt::join(conditions, "; "));
  } else {
    matches.why_none = fmt::format("the table has no fact {}", fmt::join(query.wanted, ", "));
  }
  return matches;
}

Matches in_run(const Query& query, const tables::Table& table) {
  const auto& key = query.wanted.front();
  const auto run = results::to_json(table.run);
  const results::Json* node = &run;
  std::istringstream names(key);
  for (std::string name; node != nullptr && std::getline(names, name, '.');) {
    const auto found = node->is_object() ? node->find(name) : node->end();
    node = found == node->end() ? nullptr : &*found;
  }
  if (node == nullptr || node->is_structured()) return {{}, fmt::format("run.json has no {}", key)};
  const auto value = node->is_string()   ? node->get<std::string>()
                     : node->is_number() ? tables::decimal(node->get<double>())
                                         : node->dump();
  return {{{tables::run_name, key, value, ""}}, ""};
}

Matches matches_of(const Query& query, const tables::Table& table) {
  switch (query.source) {
    case Source::form:
    case Source::sass:
      return in_latencies(query, table);
    case Source::opcode:
      return in_opcodes(query, table);
    case Source::fact:
      return in_facts(query, table);
    case Source::run:
      return in_run(query, table);
  }
  return {};
}

double number_of(const Found& found) { return *tables::number_in(found.value); }

// All figures are numbers.
const Found& chosen(Aggregate aggregate, const std::vector<Found>& found) {
  std::vector<const Found*> sorted;
  for (const auto& one : found) sorted.push_back(&one);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Found* a, const Found* b) { return number_of(*a) < number_of(*b); });
  const auto place = aggregate == Aggregate::min   ? 0
                     : aggregate == Aggregate::max ? found.size() - 1
                                                   : (found.size() - 1) / 2;
  const double wanted = number_of(*sorted[place]);
  return **std::find_if(sorted.begin(), sorted.end(), [&](const Found* one) { return number_of(*one) == wanted; });
}

// The figures that differ, each with a row that has it.
std::string ambiguity(const std::vector<Found>& found) {
  constexpr std::size_t most = 4;
  std::vector<std::string> values, shown;
  for (const auto& one : found) {
    if (std::find(values.begin(), values.end(), one.value) != values.end()) continue;
    values.push_back(one.value);
    if (shown.size() < most) shown.push_back(fmt::format("{} ({})", one.value, one.row));
  }
  return fmt::format("{} matching rows have {} different values: {}{}", found.size(), values.size(),
                     fmt::join(shown, ", "), values.size() > most ? ", …" : "");
}

}  // namespace

std::variant<Answer, std::string> ask(const Query& query, const tables::Table& table) {
  const auto matches = matches_of(query, table);
  const auto& found = matches.found;
  if (found.empty()) return matches.why_none;
  for (const auto& one : found) {
    if (!query.unit.empty() && one.unit != query.unit) {
      return fmt::format("{} has the unit \"{}\", and the option needs \"{}\"", one.row, one.unit, query.unit);
    }
  }
  const auto is_other = [&](const Found& one) { return one.value != found.front().value; };
  const bool has_word =
      std::any_of(found.begin(), found.end(), [](const Found& one) { return !tables::number_in(one.value); });
  if (query.aggregate == Aggregate::only || has_word) {
    if (std::any_of(found.begin(), found.end(), is_other)) return ambiguity(found);
    return Answer{found.front(), found.size()};
  }
  return Answer{chosen(query.aggregate, found), found.size()};
}

}  // namespace ptxlat::simulator
