// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iostream>
#include <sstream>

#include "base/printable.h"

namespace ptxlat::cli {

// Prints what `write` writes to a stream, for csv and JSON, whose fields may have a terminal's commands: a table may
// come from a stranger. In its own files they stay as they are.
template <typename Write>
void print_text(const Write& write) {
  std::ostringstream out;
  write(out);
  std::cout << printable(out.str());
}

}  // namespace ptxlat::cli
