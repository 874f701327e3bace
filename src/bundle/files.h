#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "assemble/assembler.h"

namespace ptxlat::bundle {

// Texts by name: "ptx_templates/isa/integer.toml". A toolchain that needs texts of its own has them here too, below its
// name.
using Files = std::map<std::string, std::string>;

// The catalogue files (*.toml) and skeletons (*.ptx) in a folder, each under `name`/. Error{catalogue} where one cannot
// be read.
void add_folder(Files& files, const std::string& name, const std::filesystem::path& folder);

// Writes those below `name`/ into a folder. Error{storage} where the disk refuses.
void write_folder(const Files& files, const std::string& name, const std::filesystem::path& folder);

// As a section of a bundle.
Bytes encode_files(const Files& files);
// Error{storage} for what encode_files did not make, and for a name that leads out of its folder.
Files decode_files(const Bytes& section);

}  // namespace ptxlat::bundle
