// SPDX-License-Identifier: Apache-2.0
#include "pairs/register_reuse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/error.h"

namespace ptxlat::pairs {

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
