// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "results/record.h"

namespace ptxlat::series {

// A fact about a kind of machine from a model: inferred, or undetermined for `reason` if there is no value.
results::Fact inferred(const std::string& quantity, const std::string& value, const std::string& unit,
                       const std::string& how, const std::string& reason);
// The same for a whole number; 0 means none.
results::Fact inferred(const std::string& quantity, std::uint64_t value, const std::string& unit,
                       const std::string& how, const std::string& reason);
// For a time, which was read off: `spread` is how far a repetition may differ from it.
results::Fact measured(const std::string& quantity, double value, double spread, const std::string& unit,
                       const std::string& how);

}  // namespace ptxlat::series
