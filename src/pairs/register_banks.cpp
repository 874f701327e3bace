// SPDX-License-Identifier: Apache-2.0
#include "pairs/register_banks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/error.h"

namespace ptxlat::pairs {

namespace {

constexpr double tolerance = 0.25;  // cycles: ends of the loop that do not cancel are hundredths

constexpr int possible_least[] = {1, 2, 3, 4, 8, 16, 32};

// The simplest first: few banks that deliver much, or all that is needed.
std::vector<BankRule> candidates() {
  std::vector<BankRule> rules;
  for (const int banks : {1, 2, 4, 8}) {
    for (const int reads : {3, 2, 1}) {
      for (const bool counts_once : {true, false}) {
        for (const int least : possible_least) rules.push_back({banks, reads, counts_once, least});
      }
    }
  }
  return rules;
}

InferredBankRule best_of(const std::vector<BankRule>& rules, const std::vector<RegisterCase>& cases) {
  InferredBankRule best;
  for (const auto& rule : rules) {
    InferredBankRule tried{rule};
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const int right = is_within_tolerance(cycles_of(rule, cases[i].registers), cases[i].cycles) ? 1 : 0;
      ++(i % 2 == 0 ? tried.learned : tried.tested);
      (i % 2 == 0 ? tried.learned_right : tried.tested_right) += right;
    }
    if (best.learned == 0 || tried.learned_right > best.learned_right) best = tried;
  }
  return best;
}

}  // namespace

double cycles_of(const BankRule& rule, const std::vector<int>& registers) {
  std::map<int, int> reads;
  const std::set<int> once(registers.begin(), registers.end());
  const auto numbers = rule.counts_once ? std::vector(once.begin(), once.end()) : registers;
  int busiest = 0;
  for (const int number : numbers) busiest = std::max(busiest, ++reads[number % rule.banks]);
  return std::max(rule.least, (busiest + rule.reads_per_cycle - 1) / rule.reads_per_cycle);
}

std::string text_of(const BankRule& rule) {
  return fmt::format("banks={} reads_per_cycle={} counts_once={} least={}", rule.banks, rule.reads_per_cycle,
                     rule.counts_once ? 1 : 0, rule.least);
}

std::optional<BankRule> bank_rule_from(const std::string& text) {
  static const std::regex form("banks=([1-9]\\d?) reads_per_cycle=([1-9]) counts_once=([01]) least=([1-9]\\d?)");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return std::nullopt;
  return BankRule{std::stoi(parts[1]), std::stoi(parts[2]), parts[3] == "1", std::stoi(parts[4])};
}

bool is_within_tolerance(double predicted, double cycles) { return std::abs(predicted - cycles) <= tolerance; }

InferredBankRule infer_bank_rule(const std::vector<RegisterCase>& cases) { return best_of(candidates(), cases); }

InferredBankRule infer_least(const BankRule& rule, const std::vector<RegisterCase>& cases) {
  std::vector<BankRule> rules;
  for (const int least : possible_least) rules.push_back({rule.banks, rule.reads_per_cycle, rule.counts_once, least});
  return best_of(rules, cases);
}

std::vector<int> registers_in(const std::string& line) {
  std::vector<int> numbers;
  std::istringstream words(line);
  static const std::regex name("R(\\d{1,3})");
  for (std::string word; words >> word;) {
    std::smatch parts;
    constexpr int highest = 254;  // R255 is RZ
    if (!std::regex_match(word, parts, name) || std::stoi(parts[1]) > highest)
      throw Error(ExitCode::usage, fmt::format("{} is not a register", word),
                  "write cases like R4 R5 R6, one per line");
    numbers.push_back(std::stoi(parts[1]));
  }
  if (numbers.empty())
    throw Error(ExitCode::usage, "a case has no registers", "write cases like R4 R5 R6, one per line");
  return numbers;
}

std::string predict_registers(const std::string& rule, const std::string& registers) {
  const auto known = bank_rule_from(rule);
  if (!known) throw Error(ExitCode::usage, fmt::format("\"{}\" is not a rule of register banks", rule));
  return fmt::format("{}", cycles_of(*known, registers_in(registers)));
}

}  // namespace ptxlat::pairs
