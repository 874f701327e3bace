// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "snippet/text.h"

namespace ptxlat::snippet {

// Lines of a text, both included; they count from 1.
struct Lines {
  int first = 1;
  int last = std::numeric_limits<int>::max();
};

// "10:20", or "12" for one. Error{usage} for anything else.
Lines lines_from(const std::string& text);

// Whose lines are meant: those of the PTX, or those of the CUDA C that it was compiled from.
enum class LinesOf { ptx, source };

// From the first to the last line that has one of the statements; the last is 0 if none is known.
Lines lines_with(const std::vector<Statement>& statements, LinesOf lines_of);

// A kernel's instructions as a snippet: all, or those in the lines. What loads its parameters is left out, so that
// their registers are sources, and what ends it early or at its end; a register that the rest of the kernel reads is a
// result. Throws Error{usage} if it is not clear which kernel is meant, or if there is nothing to measure.
Text snippet_of(const std::vector<Function>& functions, const std::string& name, const std::optional<Lines>& lines,
                LinesOf lines_of = LinesOf::ptx);

// The snippet that a text of PTX is: a module's as above, or a list of instructions, of which those that only a whole
// kernel has (loads of parameters, its end) are left out.
Text read_ptx(const std::string& text, const std::string& name, const std::optional<Lines>& lines);

}  // namespace ptxlat::snippet
