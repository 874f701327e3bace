#pragma once

// Debian's tomlplusplus target links a shared library; the parser is taken header-only instead, so that the program
// can be carried to a machine that lacks it.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <string>

#include "isa/form.h"

namespace ptxlat {

inline SourceLocation location_of(const toml::node& node, const std::string& file) {
  return {file, static_cast<int>(node.source().begin.line)};
}

}  // namespace ptxlat
