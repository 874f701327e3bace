// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ptxlat {

// Writes the text to a descriptor, however many calls that takes. False if one fails; errno says why.
bool write_all(int descriptor, std::string_view text);

// Puts everything that was written to the file on the disk. False if some of it was not kept, which network file
// systems say only now; errno says why. The descriptor stays open, with its lock.
bool settle(int descriptor);

}  // namespace ptxlat
