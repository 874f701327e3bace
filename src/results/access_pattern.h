// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "results/record.h"

namespace ptxlat::results {

// How the warps of all SMs, which run at once, access memory:
//   own_lines    each warp has lines of its own, and each lane its own words in them
//   scattered    each lane has a line of its own
//   one_line     all warps have the same lines, and each lane its own words in them
//   one_address  all lanes have the same address
enum class AccessPattern { own_lines, scattered, one_line, one_address };
inline constexpr std::array access_patterns = {AccessPattern::own_lines, AccessPattern::scattered,
                                               AccessPattern::one_line, AccessPattern::one_address};
const char* to_string(AccessPattern pattern);  // "own lines"

// That of a throughput of the whole GPU, which is its record's operand; empty for one of an SM.
std::optional<AccessPattern> access_pattern_of(const Record& record);

}  // namespace ptxlat::results
