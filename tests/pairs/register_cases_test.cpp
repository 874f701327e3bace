// SPDX-License-Identifier: Apache-2.0
#include "pairs/register_cases.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "pairs/register_rules.h"

using namespace ptxlat;
using namespace ptxlat::loops;
using namespace ptxlat::pairs;

TEST_CASE("source registers are written where an instruction has them, and nowhere else") {
  const sass::InstructionWord ffma{0x0000000502047223, 0x000fc80000000006};  // FFMA R4, R2, R5, R6
  CHECK(sources_of(ffma) == std::vector{2, 5, 6});
  const auto patched = with_sources(ffma, {40, 3, 12});
  CHECK(sources_of(patched) == std::vector{40, 3, 12});
  CHECK(with_sources(patched, {2, 5, 6}) == ffma);
}

TEST_CASE("cases have all combinations of banks and equal registers, and none beyond the kernel's registers") {
  const auto cases = register_cases(21, 1);
  std::set<std::vector<int>> small;
  for (const auto& one : cases) {
    REQUIRE(one.size() == 3);
    CHECK(*std::max_element(one.begin(), one.end()) <= 21);
    small.insert(one);
  }
  for (const auto& wanted : {std::vector{2, 2, 2}, {2, 4, 3}, {3, 5, 2}, {4, 3, 4}}) CHECK(small.contains(wanted));
  CHECK(register_cases(21, 1) == cases);
}

TEST_CASE("cases of reuse name registers in the same and in other places, of one parity if two take turns") {
  const auto cases = reuse_cases(21, 1);
  int kept_elsewhere = 0;
  for (const auto& one : cases) {
    REQUIRE(!one.instructions.empty());
    std::set<int> parities;
    for (const auto& operands : one.instructions) {
      REQUIRE(operands.size() == 3);
      for (const auto& source : operands) {
        CHECK(source.number <= 21);
        parities.insert(source.number % 2);
      }
    }
    if (one.instructions.size() == 2) CHECK(parities.size() == 1);
    pairs::ReuseRule by_slot{{2, 1, true, 1}, pairs::Reuse::slot}, by_any{{2, 1, true, 1}, pairs::Reuse::any};
    kept_elsewhere += pairs::cycles_of(by_slot, one) != pairs::cycles_of(by_any, one) ? 1 : 0;
  }
  CHECK(kept_elsewhere > 10);
  CHECK(pairs::text_of(reuse_cases(21, 1).front()) == pairs::text_of(cases.front()));
  // A small kernel has few registers.
  for (const auto& one : reuse_cases(5, 1)) {
    for (const auto& operands : one.instructions) {
      for (const auto& source : operands) CHECK(source.number <= 5);
    }
  }
}

namespace {

void add_case(results::Record& record, const std::string& series_name, const std::string& name, double cycles) {
  if (record.series.empty() || record.series.back().name != series_name)
    record.series.push_back({series_name, "cycles", {{"sources", "", {}}}, {}});
  auto& series = record.series.back();
  auto& axis = series.axes.front();
  axis.values.push_back(static_cast<double>(axis.names.size()));
  axis.names.push_back(name);
  series.values.emplace_back(cycles + (axis.names.size() % 3 == 0 ? 0.02 : 0));
}

std::string name_of(const std::vector<int>& registers) {
  return "R" + std::to_string(registers[0]) + " R" + std::to_string(registers[1]) + " R" + std::to_string(registers[2]);
}

// What an invented register file gives, of which one case in seven is wrong by `error`.
results::Record record_of(const pairs::ReuseRule& rule, int least_of_others, double error) {
  results::Record record;
  int number = 0;
  const auto wrong = [&] { return ++number % 7 == 0 ? error : 0; };
  for (const auto& one : register_cases(30, 18))
    add_case(record, "cycles", name_of(one), pairs::cycles_of(rule.banks, one) + wrong());
  for (const auto& one : reuse_cases(30, 18))
    add_case(record, "cycles with reuse", pairs::text_of(one), pairs::cycles_of(rule, one) + wrong());
  auto other = rule.banks;
  other.least = least_of_others;
  for (auto one : register_cases(30, 18))
    add_case(record, "cycles: IMAD", name_of(one), pairs::cycles_of(other, one) + wrong());
  for (auto one : register_cases(29, 18)) {
    for (int& source : one) source -= source % 2;
    auto pairs = one;
    for (const int source : one) pairs.push_back(source + 1);
    add_case(record, "cycles: DFMA", name_of(one), pairs::cycles_of(other, pairs) + wrong());
  }
  read_registers_again(record);
  return record;
}

}  // namespace

TEST_CASE("the facts of a register file come from the times of its cases, half of which test each rule") {
  const auto reuse = GENERATE(pairs::Reuse::none, pairs::Reuse::slot, pairs::Reuse::any);
  const pairs::BankRule banks = GENERATE(pairs::BankRule{2, 1, true, 1}, pairs::BankRule{4, 1, true, 1});
  const pairs::ReuseRule rule{banks, reuse};
  INFO(pairs::text_of(rule));
  const auto facts = record_of(rule, 2, 0.1).facts;
  REQUIRE(facts.size() == 5);
  CHECK(facts[0].quantity == "register.banks");
  CHECK(facts[0].value == std::to_string(banks.banks));
  CHECK(facts[1].quantity == "register.bank_rule");
  CHECK(facts[1].value == pairs::text_of(banks));
  CHECK(facts[1].verdict == results::FactVerdict::inferred);
  CHECK(facts[2].quantity == "register.reuse_rule");
  CHECK(facts[2].value == pairs::text_of(rule));
  CHECK(facts[3].quantity == "register.opcode_rule");
  CHECK(facts[3].condition == "opcode=IMAD");
  auto of_imad = banks;
  of_imad.least = 2;
  CHECK(facts[3].value == pairs::text_of(of_imad));
  CHECK(facts[4].condition == "opcode=DFMA");
  CHECK(facts[4].value == pairs::text_of(of_imad));
}

TEST_CASE("a rule that does not hold for every case is not a fact") {
  const auto doubtful = record_of({{4, 1, true, 2}, pairs::Reuse::slot}, 2, 1).facts;
  REQUIRE(doubtful.size() == 2);  // the others build on the banks
  CHECK(doubtful[1].verdict == results::FactVerdict::undetermined);
  CHECK(doubtful[1].value.empty());
  CHECK(doubtful[1].how.find("of the 64 cases") != std::string::npos);
  auto record = record_of({{2, 1, true, 1}, pairs::Reuse::slot}, 2, 0);
  for (auto& value : record.series[1].values) *value += 0.5;
  read_registers_again(record);
  CHECK(record.facts[1].verdict == results::FactVerdict::inferred);
  CHECK(record.facts[2].verdict == results::FactVerdict::undetermined);
  CHECK(record.facts[2].value.empty());
}
