// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sass/window.h"

namespace ptxlat::sass {

// The opcodes between the clocks of `clock, op, consumer, clock` that depend on an operand and that the consumer needs,
// in program order, without the consumer's own (`base` is its window), moves and bookkeeping.
//   operand_loads   how many loads of operands there are before the first clock
//   loads           which of them load the operand, counted in the order of the code, which is that of the PTX because
//                   they are volatile
// Empty if this cannot be determined: the code branches, the consumer became a different instruction, or the loads are
// not the requested ones.
std::optional<std::vector<std::string>> path_opcodes(const Window& window, const Window& base, int operand_loads,
                                                     const std::vector<int>& loads);

// An operand's own path in such a window, and what is beside it there: instructions that do not depend on the operand,
// because they work on other operands or make constants, and those for another result, which the consumer does not
// need.
//   opcodes        of the path, with its moves
//   before         beside it, before its first instruction: done when the operand arrives, if that is last
//   among          beside it, after that: the assembler has put them among the path
//   cycles_beside  of all that is beside it, by the schedule: how much longer the window is than the path alone. Those
//                  among the path only count where the window has the same two instructions next to each other, too,
//                  and so shows their latency; else they cannot be told from the path, and `is_separable` is false
struct OperandPath {
  std::vector<std::string> opcodes, before, among;
  int cycles_beside = 0;
  bool is_separable = true;
  bool is_alone() const { return before.empty() && among.empty(); }
};
// Empty if this cannot be determined, as above, or if nothing depends on the operand.
std::optional<OperandPath> operand_path(const Window& window, const Window& base, int operand_loads,
                                        const std::vector<int>& loads);

// Whether what these loads bring reaches a value that is stored after the window. Empty if this cannot be determined,
// as above.
std::optional<bool> reaches_result(const Window& window, int operand_loads, const std::vector<int>& loads);

// The instructions between the clocks whose results each instruction there reads, by their places in the window.
std::vector<std::vector<std::size_t>> producers_in(const Window& window);

// How many instructions between the clocks depend on each other, one after another, at most.
int longest_dependence(const Window& window);

// The opcodes between the clocks of the window that its base does not have.
std::vector<std::string> added_opcodes(const Window& window, const Window& base);

// Whether both have the same opcodes equally often, ignoring moves and bookkeeping.
bool same_opcodes(const std::vector<std::string>& one, const std::vector<std::string>& other);
// Whether both have the same operations equally often, ignoring moves, bookkeeping and the pipe that ptxas chose.
bool same_operations(const std::vector<std::string>& one, const std::vector<std::string>& other);
// Whether `whole` has everything that `part` has.
bool has_operations(const std::vector<std::string>& whole, const std::vector<std::string>& part);

}  // namespace ptxlat::sass
