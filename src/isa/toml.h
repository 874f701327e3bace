// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>

#include "isa/form.h"

namespace ptxlat::isa {

inline SourceLocation location_of(const toml::node& node, const std::string& file) {
  return {file, static_cast<int>(node.source().begin.line)};
}

// The text of the file of this name. toml::parse_error if it is not TOML, or nests deeper than any file of ours.
toml::table parse_toml(std::string_view text, const std::string& name);

}  // namespace ptxlat::isa
