// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ptxlat::pairs {

// An instruction's source registers, by number, and how many cycles one of many copies in a row takes.
struct RegisterCase {
  std::vector<int> registers;
  double cycles = 0;
};

// How many cycles the registers of an instruction cost. Register number n is in bank n modulo `banks`; each bank
// delivers `reads_per_cycle` registers of a warp in a cycle, and the instruction waits for the busiest one.
//   counts_once  a register that several operands name is read once
//   least        cycles of an instruction whose registers cost nothing
struct BankRule {
  int banks = 1;
  int reads_per_cycle = 1;
  bool counts_once = true;
  int least = 1;
  bool operator==(const BankRule&) const = default;
};
double cycles_of(const BankRule& rule, const std::vector<int>& registers);

// "banks=2 reads_per_cycle=1 counts_once=1 least=1", and back; empty if it is not such a text.
std::string text_of(const BankRule& rule);
std::optional<BankRule> bank_rule_from(const std::string& text);

// The rule that is right for most of the cases with even numbers, the simplest of several. It is tested on the others.
//   learned_right, tested_right  cases that it gives within a quarter of a cycle
struct InferredBankRule {
  BankRule rule;
  int learned = 0, learned_right = 0;
  int tested = 0, tested_right = 0;
};
InferredBankRule infer_bank_rule(const std::vector<RegisterCase>& cases);

// Whether another opcode follows the same rule: only `least` is inferred.
InferredBankRule infer_least(const BankRule& rule, const std::vector<RegisterCase>& cases);

// Whether a predicted time is the measured one: within a quarter of a cycle.
bool is_within_tolerance(double predicted, double cycles);

// The register numbers of a line "R4 R5 R6". Error{usage} if it is anything else.
std::vector<int> registers_in(const std::string& line);

// The cycles of a case by a rule, both as text. Error{usage} if either cannot be read.
std::string predict_registers(const std::string& rule, const std::string& registers);

}  // namespace ptxlat::pairs
