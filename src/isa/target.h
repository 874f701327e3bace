// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ptxlat::isa {

// A target for which PTX is assembled: sm = 90, suffix = "a" is sm_90a. As a requirement (PTX ISA 11.1.2), no suffix
// means this target or any newer one, "a" just this one, "f" its family: the same major number, not older, with a
// suffix.
struct Target {
  int sm = 0;
  std::string suffix;
  std::string name() const { return "sm_" + std::to_string(sm) + suffix; }
  bool operator==(const Target&) const = default;
};

// Maxwell, the oldest supported architecture: Kepler's control words have a different layout.
inline constexpr int oldest_sm = 50;

// "sm_90a"; empty if the text is not a target.
std::optional<Target> target_from_name(const std::string& name);

// Requirements for an assembler and a GPU.
//   targets  of each group, one: {{sm_90}, {sm_100a, sm_120a}}
struct Requirement {
  int ptx_major = 1;
  int ptx_minor = 0;
  std::vector<std::vector<Target>> targets;

  bool operator==(const Requirement&) const = default;
};

bool has_target(const Requirement& requirement, const Target& target);

// The requirement that satisfies both.
Requirement stricter(const Requirement& x, const Requirement& y);

// "sm_90 and sm_100a|sm_120a"; empty if any target will do.
std::string targets_text(const Requirement& requirement);

}  // namespace ptxlat::isa
