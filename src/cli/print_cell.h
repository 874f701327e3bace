// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/record.h"

namespace ptxlat::cli {

// A window with its machine code and control words; a cell with all its numbers and windows, on standard output.
void print_window(const results::WindowRecord& window);
void print_cell(const results::Record& cell);

}  // namespace ptxlat::cli
