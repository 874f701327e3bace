// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ptxlat::fuzz {

// Inputs that only the program can make, as FOLDER/TARGET/…: a bundle, its sections, a cubin, messages, a store. Those
// that are files of the repository are gathered by tools/fuzz.sh.
void write_seeds(const std::filesystem::path& folder);

}  // namespace ptxlat::fuzz
