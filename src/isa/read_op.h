// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "isa/op.h"
#include "isa/toml.h"

namespace ptxlat::isa {

// Reads one [[op]]. Empty if it has no name or syntax to continue with.
std::optional<Op> read_op(const toml::table& table, const Chapter& chapter, const std::set<std::string>& objects,
                          Mistakes& mistakes);

// audit = "arithmetic" | "effects", of a file or of an [[op]]. Empty if it is not there.
std::optional<AuditRule> read_audit(const toml::table& table, const std::string& file, Mistakes& mistakes);

// header = "cuda_fp16.h", of a file or of an [[op]].
void check_header(const std::string& name, const SourceLocation& where, Mistakes& mistakes);

}  // namespace ptxlat::isa
