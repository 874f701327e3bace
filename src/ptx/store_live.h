// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxlat::ptx {

// Stores of registers after the second clock, at an offset of the lane's slot, so that the compiler does not delete the
// code that made them (ptx_templates/skeletons/frame.ptx).
inline constexpr int place_of_results = 32;
std::string store_live(const std::vector<std::string>& registers, const std::string& type, int at = place_of_results);

// The same after the branch of a stream, where the registers are kept on both sides.
//   has_room  for storing several registers of a wide vector at a time
std::string store_live_both_sides(const std::vector<std::string>& registers, const std::string& type, bool has_room,
                                  int at = place_of_results);

// Keeps the catalogue's scratch registers that are named in its `text`.
std::string store_live_scratch(const std::string& text);

}  // namespace ptxlat::ptx
