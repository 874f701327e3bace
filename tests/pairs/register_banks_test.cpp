// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "base/error.h"
#include "catch.h"
#include "pairs/register_rules.h"

using namespace ptxlat;
using namespace ptxlat::pairs;

namespace {

std::vector<RegisterCase> cases_of(const BankRule& rule, double noise = 0.02) {
  std::mt19937 random(7);
  std::vector<RegisterCase> cases;
  for (int i = 0; i < 128; ++i) {
    RegisterCase one;
    for (int source = 0; source < 3; ++source) one.registers.push_back(static_cast<int>(random() % (i < 64 ? 6 : 40)));
    one.cycles = cycles_of(rule, one.registers) + noise * (i % 2);
    cases.push_back(one);
  }
  return cases;
}

}  // namespace

TEST_CASE("the busiest bank of an instruction costs its reads") {
  const BankRule hopper{2, 1, true, 1};
  CHECK(cycles_of(hopper, {2, 3}) == 1);
  CHECK(cycles_of(hopper, {2, 3, 5}) == 2);
  CHECK(cycles_of(hopper, {2, 4, 6}) == 3);
  CHECK(cycles_of(hopper, {2, 2, 3}) == 1);
  CHECK(cycles_of({2, 2, true, 2}, {2, 4, 6}) == 2);
  CHECK(cycles_of({2, 1, false, 1}, {2, 2, 2}) == 3);
}

TEST_CASE("the rule of an invented register file is found, and holds for cases that it was not inferred from") {
  const auto rule = GENERATE(BankRule{2, 1, true, 1}, BankRule{2, 1, true, 2}, BankRule{4, 1, true, 1},
                             BankRule{2, 1, false, 1}, BankRule{4, 1, false, 2});
  INFO(text_of(rule));
  const auto inferred = infer_bank_rule(cases_of(rule));
  CHECK(inferred.rule == rule);
  CHECK(inferred.learned_right == inferred.learned);
  CHECK(inferred.tested == 64);
  CHECK(inferred.tested_right == 64);
}

TEST_CASE("cases that follow no rule are not predicted") {
  auto cases = cases_of({2, 1, true, 1});
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].cycles = 1 + static_cast<double>(i * 7 % 5) / 2;
  const auto inferred = infer_bank_rule(cases);
  CHECK(inferred.tested_right < inferred.tested / 2);
}

TEST_CASE("a rule is a fact's text, and a case a line of registers") {
  const BankRule rule{4, 2, false, 16};
  CHECK(text_of(rule) == "banks=4 reads_per_cycle=2 counts_once=0 least=16");
  CHECK(bank_rule_from(text_of(rule)) == rule);
  CHECK_FALSE(bank_rule_from("banks=2"));
  CHECK(registers_in(" R4 R15  R254") == std::vector{4, 15, 254});
  CHECK(predict_registers("banks=2 reads_per_cycle=1 counts_once=1 least=1", "R4 R6 R5") == "2");
  CHECK_THROWS_AS(predict_registers("banks=two", "R4 R6 R5"), Error);
  for (const char* line : {"", "R4 R255", "4 5 6", "R4,R5", "UR4"}) CHECK_THROWS_AS(registers_in(line), Error);
}
