// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "base/file.h"
#include "fuzz.h"
#include "sass/word_cache.h"

namespace ptxlat::fuzz {

// A file of words that a disassembler answered, which somebody else may have damaged.
void words(std::string_view input) {
  static const auto program = scratch_file("words/nvdisasm", "a program");
  static const auto folder = program.parent_path() / "caches";
  static const auto file = [] {
    sass::WordCache(folder, program, 90).add({{{1, 2}, {"NOP", false, 0}}});
    return std::filesystem::directory_iterator(folder)->path();
  }();
  replace_file(file, std::string(input));
  const sass::WordCache cache(folder, program, 90);
  for (const std::uint64_t low : {0, 1, 3}) cache.find({low, low + 1});
  cache.add({{{3, 4}, {"BRA ", true, 16}}});
}

}  // namespace ptxlat::fuzz
