// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sass/window.h"

namespace ptxlat::sass {

// The opcodes between the clocks of `clock, op, consumer, clock` that depend on an operand and that the consumer needs,
// in program order, less the consumer's own (`base` is its window). Moves and bookkeeping are left out
// unless they are wanted.
//   operand_loads   how many loads of operands stand before the first clock, all together
//   loads           which of them bring the operand, counted in the order of the code, which is that of the PTX: they
//                   are volatile
// Empty where it cannot be told: the code branches, the consumer became another instruction, or the loads are not those
// that were asked for.
enum class Moves { without, with };
std::optional<std::vector<std::string>> path_opcodes(const Window& window, const Window& base, int operand_loads,
                                                     const std::vector<int>& loads, Moves moves = Moves::without);

// What the window has between the clocks and its base has not.
std::vector<std::string> added_opcodes(const Window& window, const Window& base);

// Whether both are the same opcodes equally often, moves and bookkeeping aside.
bool same_opcodes(const std::vector<std::string>& one, const std::vector<std::string>& other);
// Whether both are the same operations equally often, moves and bookkeeping aside, whichever pipe ptxas gave them.
bool same_operations(const std::vector<std::string>& one, const std::vector<std::string>& other);
// Whether `part` has nothing that `whole` has not.
bool has_operations(const std::vector<std::string>& whole, const std::vector<std::string>& part);

}  // namespace ptxlat::sass
