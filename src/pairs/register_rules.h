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

// A source register, and whether the instruction keeps it for reuse (".reuse").
struct KeptSource {
  int number = 0;
  bool is_kept = false;
  bool operator==(const KeptSource&) const = default;
};

// Instructions that take turns, by their source operands in order, and how many cycles one of them takes.
struct ReuseCase {
  std::vector<std::vector<KeptSource>> instructions;
  double cycles = 0;
};

// Which register need not be read, because the instruction before kept it.
//   none  each is read
//   slot  one that the same operand named before
//   any   one that any operand named before
enum class Reuse { none, slot, any };

// Registers that are kept, on top of the banks' rule.
struct ReuseRule {
  BankRule banks;
  Reuse reuse = Reuse::none;
  bool operator==(const ReuseRule&) const = default;
};
double cycles_of(const ReuseRule& rule, const ReuseCase& one);

// "banks=2 reads_per_cycle=1 counts_once=1 least=1 reuse=slot", and back; empty if it is not such a text.
std::string text_of(const ReuseRule& rule);
std::optional<ReuseRule> reuse_rule_from(const std::string& text);

// "R2.reuse R4 R6; R4 R2 R6", and back. Error{usage} if it is anything else.
std::string text_of(const ReuseCase& one);
ReuseCase reuse_case_in(const std::string& line);

// What is right for most of the cases with even numbers, on top of a banks' rule; tested on the others.
struct InferredReuse {
  ReuseRule rule;
  int learned = 0, learned_right = 0;
  int tested = 0, tested_right = 0;
};
InferredReuse infer_reuse(const BankRule& banks, const std::vector<ReuseCase>& cases);

// The cycles of a case by a rule, both as text. Error{usage} if either cannot be read.
std::string predict_reuse(const std::string& rule, const std::string& instructions);

}  // namespace ptxlat::pairs
