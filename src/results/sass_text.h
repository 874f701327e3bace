// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/record.h"
#include "sass/instruction.h"

namespace ptxlat::results {

// One string per instruction, "S2 W0 | POPC R6, R6" (docs/table-format.md). Does not say where the window starts, so
// that windows of equal code are equal. An instruction that is not 16 bytes after its predecessor says how far: "+20 S2
// | BRA 0x1f0".
std::vector<std::string> sass_lines(const std::vector<SassRecord>& sass);
// A line's parts, views into it. std::invalid_argument if it is of a different shape.
//   distance  from its predecessor, in bytes
struct SassLine {
  int distance = 16;
  sass::ControlWord control;
  std::string_view text;
};
SassLine read_sass_line(std::string_view line);
// The instructions of a JSON list of lines. Throws std::exception for text of a different shape.
int sass_offset(const std::string& hexadecimal);
std::vector<SassRecord> sass_from_json(int start_offset, std::string_view json);

}  // namespace ptxlat::results
