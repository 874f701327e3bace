// SPDX-License-Identifier: Apache-2.0
#include "base/write_all.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace ptxlat {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace ptxlat
