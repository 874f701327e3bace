// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace ptxlat::sass {

// The outcome of the proof about a window, and of a cell, in one word. docs/table-format.md explains each; tables spell
// them in lower case.
enum class Verdict {
  proven,
  fused,         // steps, or the instruction and its consumer, became one machine instruction
  elided,        // the instruction, or a part of it, is not between the clocks
  contaminated,  // something between the clocks does not belong there
  unstable,      // no value in the majority of the launches
  unsupported,   // this target or PTX version does not have it
  rejected,      // the assembler rejected it; its message is kept
  fault,
  timeout,
  no_dependency,  // nothing to measure
};

// The names that tables use: lower case with underscores.
const char* to_string(Verdict verdict);
std::optional<Verdict> verdict_from(const std::string& name);

}  // namespace ptxlat::sass
