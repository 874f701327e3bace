// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/error.h"

namespace ptxlat {

// Error{storage}: "cannot write /tables/latency.csv: No space left on device", with what to do.
Error file_error(const std::filesystem::path& file, const char* doing, int error_number);

}  // namespace ptxlat
