// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "line/line.h"
#include "loops/patch.h"
#include "pairs/register_rules.h"
#include "ptx/skeleton.h"
#include "results/store.h"

namespace ptxlat::pairs {

inline constexpr char registers_name[] = "registers";  // of the record

// The experiment with register numbers, at a level. It has one cell.
struct RegisterPlan {
  int level = 3;
  std::string recipe;
};
results::CellKey key_of(const RegisterPlan& plan);
RegisterPlan plan_registers(const ptx::LoadedCatalogue& loaded, int level);

// Triples of registers up to `highest`: all combinations of parities and of equal registers, then random ones.
std::vector<std::vector<int>> register_cases(int highest, unsigned seed);

// Instructions with registers that are kept for reuse: one that is repeated, or two that take turns and read the same
// registers in other places. The registers of two have one parity, so that it does not matter whether one's reads fit
// into the other's time.
std::vector<ReuseCase> reuse_cases(int highest, unsigned seed);

// The facts about registers from the record's series, with the current rules: `register.banks`, `register.bank_rule`,
// `register.reuse_rule`, and for other opcodes `register.opcode_rule`.
void read_registers_again(results::Record& record);

// Times copies of an FFMA whose source registers are patched, one warp alone, then with bits for reuse, then other
// opcodes with three sources: a record of kind `probe` with the series and the facts. It launches patched code: the
// line's worker should serve nothing else.
class RegisterMethod : public line::Method {
 public:
  RegisterMethod(const ptx::LoadedCatalogue& loaded, const RegisterPlan& plan) : loaded_(loaded), plan_(plan) {}
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  const ptx::LoadedCatalogue& loaded_;
  const RegisterPlan& plan_;
};

}  // namespace ptxlat::pairs
