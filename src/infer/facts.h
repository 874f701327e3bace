#pragma once

#include <string>
#include <vector>

#include "infer/level.h"
#include "results/record.h"

namespace ptxlat::infer {

// A fact of a kind of machine that a model gave: inferred, or undetermined for `reason` where there is no value.
results::Fact inferred(const std::string& quantity, const std::string& value, const std::string& unit,
                       const std::string& how, const std::string& reason);
// The same of a whole number, 0 for none.
results::Fact inferred(const std::string& quantity, std::uint64_t value, const std::string& unit,
                       const std::string& how, const std::string& reason);
// Of a time, which was read off: `spread` is how far a repetition may lie from it.
results::Fact measured(const std::string& quantity, double value, double spread, const std::string& unit,
                       const std::string& how);
// How a level chooses what to evict.
results::Fact policy_fact(const std::string& quantity, const Level& level);

}  // namespace ptxlat::infer
