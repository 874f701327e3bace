// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxlat {

// The script that downloads assemblers, disassemblers and NVRTC, as messages name it: with its whole path where ptxlat
// is installed, "tools/toolkits.sh" in a checkout.
std::string toolkits_script();

}  // namespace ptxlat
