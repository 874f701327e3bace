// SPDX-License-Identifier: Apache-2.0
#include "sass/cubin.h"

#include "fuzz.h"
#include "sass/window.h"

namespace ptxlat::fuzz {

void cubin(std::string_view input) {
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  const auto read = sass::read_cubin(bytes);
  for (const auto& kernel : read.kernels) {
    std::string why;
    if (const auto window = sass::find_window(kernel, why)) {
      sass::static_schedule(*window);
      sass::pending_scoreboards(*window);
    }
    sass::whole_window(kernel);
    if (kernel.layout == sass::CodeLayout::volta && !kernel.words.empty())
      sass::write_words(bytes, kernel.name, {{static_cast<int>(16 * (kernel.words.size() - 1)), kernel.words.front()}});
  }
}

}  // namespace ptxlat::fuzz
