// SPDX-License-Identifier: Apache-2.0
#include "pairs/register_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

namespace {

constexpr std::array reuse_names{"none", "slot", "any"};
constexpr char separator[] = " reuse=";
constexpr char kept_suffix[] = ".reuse";

bool is_supplied(Reuse reuse, const std::vector<KeptSource>& before, std::size_t slot, int number) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!before[i].is_kept || before[i].number != number) continue;
    if (reuse == Reuse::any || (reuse == Reuse::slot && i == slot)) return true;
  }
  return false;
}

}  // namespace

double cycles_of(const ReuseRule& rule, const ReuseCase& one) {
  double cycles = 0;
  const auto count = one.instructions.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto& before = one.instructions[(i + count - 1) % count];
    std::vector<int> read;
    for (std::size_t slot = 0; slot < one.instructions[i].size(); ++slot) {
      const int number = one.instructions[i][slot].number;
      if (!is_supplied(rule.reuse, before, slot, number)) read.push_back(number);
    }
    cycles += cycles_of(rule.banks, read);
  }
  return cycles / static_cast<double>(count);
}

std::string text_of(const ReuseRule& rule) {
  return fmt::format("{}{}{}", text_of(rule.banks), separator, reuse_names.at(static_cast<std::size_t>(rule.reuse)));
}

std::optional<ReuseRule> reuse_rule_from(const std::string& text) {
  const auto end = text.find(separator);
  if (end == std::string::npos) return std::nullopt;
  const auto banks = bank_rule_from(text.substr(0, end));
  const auto name = std::find(reuse_names.begin(), reuse_names.end(), text.substr(end + std::size(separator) - 1));
  if (!banks || name == reuse_names.end()) return std::nullopt;
  return ReuseRule{*banks, static_cast<Reuse>(name - reuse_names.begin())};
}

std::string text_of(const ReuseCase& one) {
  std::vector<std::string> instructions;
  for (const auto& sources : one.instructions) {
    std::vector<std::string> words;
    for (const auto& source : sources)
      words.push_back(fmt::format("R{}{}", source.number, source.is_kept ? kept_suffix : ""));
    instructions.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  return fmt::format("{}", fmt::join(instructions, "; "));
}

ReuseCase reuse_case_in(const std::string& line) {
  ReuseCase one;
  std::istringstream parts(line);
  for (std::string part; std::getline(parts, part, ';');) {
    auto& sources = one.instructions.emplace_back();
    std::istringstream words(part);
    for (std::string word; words >> word;) {
      const bool is_kept = word.ends_with(kept_suffix);
      const auto name = is_kept ? word.substr(0, word.size() - (std::size(kept_suffix) - 1)) : word;
      sources.push_back({registers_in(name).front(), is_kept});
    }
    if (sources.empty()) registers_in(part);  // says what is missing
  }
  if (one.instructions.empty()) registers_in(line);
  return one;
}

InferredReuse infer_reuse(const BankRule& banks, const std::vector<ReuseCase>& cases) {
  InferredReuse best;
  best.rule.banks = banks;
  for (const auto reuse : {Reuse::none, Reuse::slot, Reuse::any}) {
    InferredReuse tried{{banks, reuse}};
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const int right = is_within_tolerance(cycles_of(tried.rule, cases[i]), cases[i].cycles) ? 1 : 0;
      ++(i % 2 == 0 ? tried.learned : tried.tested);
      (i % 2 == 0 ? tried.learned_right : tried.tested_right) += right;
    }
    if (best.learned == 0 || tried.learned_right > best.learned_right) best = tried;
  }
  return best;
}

std::string predict_reuse(const std::string& rule, const std::string& instructions) {
  const auto known = reuse_rule_from(rule);
  if (!known) throw Error(ExitCode::usage, fmt::format("\"{}\" is not a rule of registers that are reused", rule));
  return fmt::format("{}", cycles_of(*known, reuse_case_in(instructions)));
}

}  // namespace ptxlat::pairs
