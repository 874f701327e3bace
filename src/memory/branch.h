// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "memory/machine.h"
#include "results/record.h"

namespace ptxlat::memory {

// A rule by which a warp chooses the side of a two-way branch that runs first, from the mask of the lanes that take it.
// docs/inference.md has the names.
struct BranchRule {
  std::string name;
  std::function<bool(std::uint32_t mask)> takes_first;
};
const std::vector<BranchRule>& branch_rules();

// Which side a rule predicts for a mask in hexadecimal, "taken" or "fallthrough". Error{usage} if it is not a mask that
// divides a warp, Error{unknown_name} for an unknown rule.
std::string predict_branch(const std::string& rule, const std::string& mask);

// The rule of a machine of kind "branch": an address is a mask, and its time is that from the branch to the start of
// the lanes that take it; with `other_side` added, of the others. The rule is chosen first, and then scored on masks
// that are drawn afterwards.
inline constexpr std::uint64_t other_side = std::uint64_t{1} << 32;
std::vector<results::Fact> infer_branch(Machine& machine, std::uint64_t seed);

}  // namespace ptxlat::memory
