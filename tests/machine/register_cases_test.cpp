// SPDX-License-Identifier: Apache-2.0
#include "machine/register_cases.h"

#include <algorithm>
#include <set>

#include "catch.h"
#include "infer/register_banks.h"

using namespace ptxlat;
using namespace ptxlat::machine;

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

TEST_CASE("the facts of a register file come from the times of its cases, half of which test the rule") {
  const auto facts_of = [](const infer::BankRule& rule, double error) {
    results::Record record;
    results::Series series{"cycles", "cycles", {{"sources", "", {}}}, {}};
    for (const auto& one : register_cases(30, 18)) {
      auto& axis = series.axes.front();
      axis.values.push_back(static_cast<double>(axis.names.size()));
      axis.names.push_back("R" + std::to_string(one[0]) + " R" + std::to_string(one[1]) + " R" +
                           std::to_string(one[2]));
      series.values.emplace_back(infer::cycles_of(rule, one) + (axis.names.size() % 7 == 0 ? error : 0.01));
    }
    record.series = {series};
    read_registers_again(record);
    return record.facts;
  };
  const auto facts = facts_of({4, 1, true, 2}, 0.1);
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].quantity == "register.banks");
  CHECK(facts[0].value == "4");
  CHECK(facts[1].quantity == "register.bank_rule");
  CHECK(facts[1].value == "banks=4 reads_per_cycle=1 counts_once=1 least=2");
  CHECK(facts[1].verdict == results::FactVerdict::inferred);
  // A rule that does not hold for every case is not a fact.
  const auto doubtful = facts_of({4, 1, true, 2}, 1);
  CHECK(doubtful[1].verdict == results::FactVerdict::undetermined);
  CHECK(doubtful[1].value.empty());
  CHECK(doubtful[1].how.find("of the 64 cases") != std::string::npos);
}
