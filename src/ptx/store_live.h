#pragma once

#include <string>
#include <vector>

namespace ptxlat::ptx {

// What is done with registers behind the second clock so that the compiler does not delete what made them: stores, at
// an offset of the lane's slot (ptx_templates/skeletons/frame.ptx).
inline constexpr int place_of_results = 32;
std::string store_live(const std::vector<std::string>& registers, const std::string& type, int at = place_of_results);

// The same behind the branch of a stream, where the registers are kept on both sides.
//   has_room  for what storing several of a wide vector at a time needs
std::string store_live_both_sides(const std::vector<std::string>& registers, const std::string& type, bool has_room,
                                  int at = place_of_results);

// Keeps the catalogue's scratch registers that `text` of the catalogue names.
std::string store_live_scratch(const std::string& text);

}  // namespace ptxlat::ptx
