// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <string>

#include "isa/form.h"

namespace ptxlat::isa {

inline SourceLocation location_of(const toml::node& node, const std::string& file) {
  return {file, static_cast<int>(node.source().begin.line)};
}

}  // namespace ptxlat::isa
