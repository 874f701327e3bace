// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ptxlat {

// Writes the text to a descriptor, however many calls that takes. False if one fails; errno says why.
bool write_all(int descriptor, std::string_view text);

}  // namespace ptxlat
