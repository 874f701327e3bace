// SPDX-License-Identifier: Apache-2.0
#include "isa/catalogue.h"

#include "fuzz.h"
#include "ptx/skeleton.h"

namespace ptxlat::fuzz {

// A user's catalogue folder of one file; and a skeleton, whose holes are filled.
void catalogue(std::string_view input) {
  const auto parts = parts_of(input, 2);
  if (!parts[1].empty()) {
    const auto skeleton = ptx::load_skeleton(scratch_file("skeleton.ptx", parts[1]));
    ptx::fill(skeleton, {{"name", "k"}, {"window", "{{name}}"}});
  }
  isa::load_catalogue({scratch_file("isa/fuzz.toml", parts[0]).parent_path()});
}

}  // namespace ptxlat::fuzz
