// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <fmt/format.h>

namespace ptxlat {

Error cannot_start_thread(std::size_t number, std::size_t of, const std::system_error& error) {
  return Error(ExitCode::failure, fmt::format("cannot start thread {} of {}: {}", number, of, error.code().message()),
               "Use fewer (--threads), or raise the limits on memory and processes (ulimit -v, ulimit -u).");
}

}  // namespace ptxlat
