// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxlat::results {

inline const std::string table = "sm_90/nvidia-h200/driver-580.159.04";

}  // namespace ptxlat::results
