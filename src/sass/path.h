// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sass/window.h"

namespace ptxlat::sass {

// The opcodes between the clocks of `clock, op, consumer, clock` that depend on an operand and that the consumer needs,
// in program order, without the consumer's own (`base` is its window). Moves and bookkeeping are only included on
// request.
//   operand_loads   how many loads of operands there are before the first clock
//   loads           which of them load the operand, counted in the order of the code, which is that of the PTX because
//                   they are volatile
// Empty if this cannot be determined: the code branches, the consumer became a different instruction, or the loads are
// not the requested ones.
enum class Moves { without, with };
std::optional<std::vector<std::string>> path_opcodes(const Window& window, const Window& base, int operand_loads,
                                                     const std::vector<int>& loads, Moves moves = Moves::without);

// The opcodes between the clocks of the window that its base does not have.
std::vector<std::string> added_opcodes(const Window& window, const Window& base);

// Whether both have the same opcodes equally often, ignoring moves and bookkeeping.
bool same_opcodes(const std::vector<std::string>& one, const std::vector<std::string>& other);
// Whether both have the same operations equally often, ignoring moves, bookkeeping and the pipe that ptxas chose.
bool same_operations(const std::vector<std::string>& one, const std::vector<std::string>& other);
// Whether `whole` has everything that `part` has.
bool has_operations(const std::vector<std::string>& whole, const std::vector<std::string>& part);

}  // namespace ptxlat::sass
