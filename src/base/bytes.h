// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace ptxlat {

using Bytes = std::vector<std::uint8_t>;

}  // namespace ptxlat
