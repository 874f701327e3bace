// SPDX-License-Identifier: Apache-2.0

// The expansion prunes: a rule is applied as soon as its axes are chosen. Against that, all combinations are made here
// and every rule is asked at the end.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>

#include "catalogue_text.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::isa;
using Names = std::vector<std::string>;

namespace {

constexpr int axis_count = 4, value_count = 3;

struct RandomRules {
  std::mt19937 random;

  int below(int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); }

  // "x1=.b|.c" as the catalogue writes it.
  std::string comparison() {
    Names values;
    for (int value = 0; value < value_count; ++value) {
      if (below(2) == 0) values.push_back(fmt::format(".{}", static_cast<char>('a' + value)));
    }
    if (values.empty()) values.push_back(".a");
    return fmt::format("x{}{}{}", below(axis_count), below(3) == 0 ? "!=" : "=", fmt::join(values, "|"));
  }

  std::string condition() { return below(2) == 0 ? comparison() : comparison() + " & " + comparison(); }
  std::string rule() { return below(3) == 0 ? condition() : condition() + " -> " + condition(); }
};

// A slow, independent reading of a rule for a choice: the choice as ".a.c.b.a", one letter per axis.
bool obeys_condition(const std::string& condition, const std::string& choice) {
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 3) {
    end = condition.find(" & ", begin);
    const std::string comparison = condition.substr(begin, end == std::string::npos ? end : end - begin);
    const auto axis = static_cast<std::size_t>(comparison.at(1) - '0');
    const bool is_named = comparison.find(choice.at(2 * axis + 1), comparison.find('=')) != std::string::npos;
    if (is_named != (comparison.find("!=") == std::string::npos)) return false;
  }
  return true;
}

bool obeys(const std::string& rule, const std::string& choice) {
  const auto arrow = rule.find(" -> ");
  if (arrow == std::string::npos) return obeys_condition(rule, choice);
  return !obeys_condition(rule.substr(0, arrow), choice) || obeys_condition(rule.substr(arrow + 4), choice);
}

Names all_choices() {
  Names choices = {""};
  for (int axis = 0; axis < axis_count; ++axis) {
    Names longer;
    for (const auto& choice : choices) {
      for (int value = 0; value < value_count; ++value) longer.push_back(choice + "." + static_cast<char>('a' + value));
    }
    choices = std::move(longer);
  }
  return choices;
}

}  // namespace

TEST_CASE("rules that are applied early leave the same forms in the same order as rules applied at the end") {
  RandomRules rules{std::mt19937(20)};
  int with_forms = 0, with_less = 0;
  for (int round = 0; round < 300; ++round) {
    Names only, except;
    for (int i = rules.below(3); i > 0; --i) only.push_back(rules.rule());
    for (int i = rules.below(3); i > 0; --i) except.push_back(rules.rule());
    std::string entry = preamble + "\n[[op]]\nname = \"op\"\nsyntax = \"op{x0}{x1}{x2}{x3} {d:u32}, {a:u32}\"\n";
    for (int axis = 0; axis < axis_count; ++axis) entry += fmt::format("x{} = [\".a\", \".b\", \".c\"]\n", axis);
    if (!only.empty()) entry += fmt::format("only = [\"{}\"]\n", fmt::join(only, "\", \""));
    if (!except.empty()) entry += fmt::format("except = [\"{}\"]\n", fmt::join(except, "\", \""));

    Names expected;
    for (const auto& choice : all_choices()) {
      const auto is_obeyed = [&](const std::string& rule) { return obeys(rule, choice); };
      if (std::all_of(only.begin(), only.end(), is_obeyed) && std::none_of(except.begin(), except.end(), is_obeyed))
        expected.push_back("op" + choice);
    }
    INFO(entry);
    const CatalogueText text(entry);
    if (expected.empty()) {
      CHECK(text.mistakes() == "a.toml:7: the rules of \"op\" leave no form");
      continue;
    }
    CHECK(spellings(text.load()) == expected);
    ++with_forms;
    with_less += expected.size() < all_choices().size() ? 1 : 0;
  }
  CHECK(with_forms > 100);
  CHECK(with_less > 50);
}
