// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/form.h"
#include "isa/types.h"

namespace ptxlat::isa {

// Reads "8", "1.0 .. 2.0", "uniform 8" or "= 8" as a value for an operand of `type`. Empty if it is not one, with the
// reason in `problem`. Floating-point literals that are known to the compiler come back as 0f… or 0d…, the only
// spelling that PTX takes for them without rounding again.
std::optional<Value> parse_value(const std::string& text, const TypeInfo& type, std::string& problem);

// The bits of all lanes of a warp: lane_bits for each.
std::vector<std::uint64_t> bits_of_lanes(const Value& value, const std::string& type);

// The bits of `number` rounded to nearest, ties to even, in an IEEE-like format of that many exponent and mantissa
// bits.
std::uint64_t round_to_format(double number, int exponent_bits, int mantissa_bits);

}  // namespace ptxlat::isa
