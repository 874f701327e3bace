// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "fuzz.h"
#include "isa/catalogue.h"

namespace ptxlat::fuzz {

// A part of the shipped catalogue, because all of it takes a sanitizer half a minute to expand.
inline isa::Catalogue part_of_catalogue() {
  const std::filesystem::path templates = std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates";
  const auto folder = scratch_folder() / "part";
  std::filesystem::create_directories(folder);
  for (const char* file : {"isa/address.toml", "isa/consumers.toml", "isa/extended_precision.toml", "isa/integer.toml",
                           "isa/logic_shift.toml", "isa/objects.toml", "isa/values.toml", "cuda/single.toml"}) {
    std::filesystem::copy_file(templates / file, folder / std::filesystem::path(file).filename(),
                               std::filesystem::copy_options::overwrite_existing);
  }
  scratch_file("part/memory.toml",
               "chapter = \"memory\"\n"
               "[[op]]\nname = \"ld\"\nsyntax = \"ld.{space}.{type} {d:type}, [{a:space}]\"\n"
               "space = [\"global\", \"shared\"]\ntype = [\"u32\", \"b64\"]\n"
               "[[op]]\nname = \"st\"\nsyntax = \"st.{space}.{type} [{a:space}], {b:type}\"\n"
               "space = [\"global\", \"shared\"]\ntype = [\"u32\", \"b64\"]\n"
               "[[op]]\nname = \"selp\"\nsyntax = \"selp.{type} {d:type}, {a:type}, {b:type}, {c:pred}\"\n"
               "type = [\"u32\", \"b64\"]\n");
  return isa::load_catalogue({folder});
}

}  // namespace ptxlat::fuzz
