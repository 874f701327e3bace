// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "assemble/assembler.h"

namespace ptxlat::bundle {

// Texts by name: "ptx_templates/isa/integer.toml". Texts that belong to one toolchain are also here, under its name.
using Files = std::map<std::string, std::string>;

// The catalogue files (*.toml) and skeletons (*.ptx) in a folder, each under `name`/. Error{catalogue} if one cannot be
// read.
void add_folder(Files& files, const std::string& name, const std::filesystem::path& folder);

// Writes those under `name`/ into a folder that has none of them. Error{storage} if writing fails.
void write_folder(const Files& files, const std::string& name, const std::filesystem::path& folder);

// As a section of a bundle.
Bytes encode_files(const Files& files);
// Error{storage} if encode_files did not make it: if a name is not one below a folder, or is there twice, or if a file
// stands where another name needs a folder.
Files decode_files(const Bytes& section);

}  // namespace ptxlat::bundle
