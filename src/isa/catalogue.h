// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/form.h"

namespace ptxlat::isa {

// One mistake in a catalogue: "file:line: message".
struct CatalogueMistake {
  SourceLocation where;
  std::string message;
};

// Reads every *.toml of `folders`, in the order of folders and file names, and expands each [[op]] into forms.
// All mistakes of all files are collected and thrown together as one Error{ExitCode::catalogue}, a line each,
// "file:line: message". The language is described in docs/adding-an-instruction.md.
//   opcodes  only the entries with these names up to the first point, because all take a second; none: all. What is
//            wrong with the others is not found
using Opcodes = std::optional<std::set<std::string>>;
Catalogue load_catalogue(const std::vector<std::filesystem::path>& folders, const Opcodes& opcodes = std::nullopt);

// The folder of the built-in catalogue and skeletons: $PTXLAT_TEMPLATES, or ../share/ptxlat/ptx_templates of an
// installation, or `ptx_templates` next to the program or above it: a build folder is in the source tree.
std::filesystem::path templates_folder();

}  // namespace ptxlat::isa
