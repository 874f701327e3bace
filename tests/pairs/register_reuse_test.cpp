// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "catch.h"
#include "pairs/register_rules.h"

using namespace ptxlat;
using namespace ptxlat::pairs;

namespace {
constexpr BankRule hopper{2, 1, true, 1};
double cycles(Reuse reuse, const std::string& text) { return cycles_of(ReuseRule{hopper, reuse}, reuse_case_in(text)); }
}  // namespace

TEST_CASE("a register that is kept is not read again: by the same operand, or by any") {
  CHECK(cycles(Reuse::slot, "R2 R4 R6") == 3);
  CHECK(cycles(Reuse::none, "R2.reuse R4 R6") == 3);
  CHECK(cycles(Reuse::slot, "R2.reuse R4 R6") == 2);
  CHECK(cycles(Reuse::slot, "R2.reuse R4.reuse R6.reuse") == 1);
  // The second instruction reads R2 elsewhere, the first one finds nothing that is kept.
  CHECK(cycles(Reuse::slot, "R2.reuse R4 R6; R4 R2 R6") == 3);
  CHECK(cycles(Reuse::any, "R2.reuse R4 R6; R4 R2 R6") == 2.5);
  CHECK(cycles(Reuse::slot, "R2.reuse R4 R6; R2 R4 R6") == 2.5);
  // A register that is named twice is read by the operand that has not kept it.
  CHECK(cycles(Reuse::slot, "R2.reuse R2 R4") == 2);
}

TEST_CASE("a rule of reuse is a fact's text, and a case a line of instructions") {
  const ReuseRule rule{hopper, Reuse::slot};
  CHECK(text_of(rule) == "banks=2 reads_per_cycle=1 counts_once=1 least=1 reuse=slot");
  CHECK(reuse_rule_from(text_of(rule)) == rule);
  CHECK_FALSE(reuse_rule_from("banks=2 reads_per_cycle=1 counts_once=1 least=1"));
  CHECK_FALSE(reuse_rule_from("banks=2 reads_per_cycle=1 counts_once=1 least=1 reuse=often"));
  const std::string line = "R2.reuse R4 R6; R4 R2 R6";
  CHECK(text_of(reuse_case_in(line)) == line);
  CHECK(predict_reuse(text_of(rule), line) == "3");
  CHECK_THROWS_AS(predict_reuse("reuse=slot", line), Error);
  for (const char* wrong : {"", ";", "R2 R4; ; R2 R4", "R2.kept R4", "R255 R4 R6", ".reuse"})
    CHECK_THROWS_AS(reuse_case_in(wrong), Error);
}

TEST_CASE("cases that follow no rule of reuse are not predicted") {
  std::vector<ReuseCase> cases;
  for (int i = 0; i < 20; ++i) {
    cases.push_back(reuse_case_in("R2.reuse R4 R6"));
    cases.back().cycles = i % 2 == 0 ? 1.4 : 2.6;
  }
  const auto inferred = infer_reuse(hopper, cases);
  CHECK(inferred.tested == 10);
  CHECK(inferred.tested_right == 0);
}
