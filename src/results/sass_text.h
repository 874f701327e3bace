// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/record.h"

namespace ptxlat::results {

// One string per instruction, "S2 W0 | POPC R6, R6" (docs/table-format.md). Does not say where the window starts, so
// that windows of equal code are equal. An instruction that is not 16 bytes after its predecessor says how far: "+20 S2
// | BRA 0x1f0".
std::vector<std::string> sass_lines(const std::vector<SassRecord>& sass);
// The same back, from a JSON list of them. Throws std::exception for text of a different shape.
int sass_offset(const std::string& hexadecimal);
std::vector<SassRecord> sass_from_json(int start_offset, std::string_view json);

}  // namespace ptxlat::results
