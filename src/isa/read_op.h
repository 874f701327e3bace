#pragma once

#include <optional>

#include "isa/op.h"
#include "isa/toml.h"

namespace ptxlat {

// Reads one [[op]]. Empty if it has no name or syntax to go on with.
std::optional<Op> read_op(const toml::table& table, const Chapter& chapter, const std::set<std::string>& objects,
                          Mistakes& mistakes);

}  // namespace ptxlat
