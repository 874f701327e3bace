// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace ptxlat::latency {

// The purpose of a trial; docs/method.md describes each.
//   completion  the wait for the instruction's effect without the instruction: assembled to tell the two apart, never
//               run, because it may wait forever
//   stream      independent copies of the instruction
enum class Role {
  overhead,
  bracket,
  differential,
  differential_base,
  chain,
  chain_twice,
  bridge,
  completion,
  stream,
  stream_twice,
};
inline constexpr std::array all_roles = {Role::overhead, Role::bracket,     Role::differential, Role::differential_base,
                                         Role::chain,    Role::chain_twice, Role::bridge,       Role::completion,
                                         Role::stream,   Role::stream_twice};
// Windows whose cycles are numbers themselves or are subtracted from each other, except streams.
inline constexpr std::array timed_roles = {
    Role::overhead, Role::bracket,     Role::differential, Role::differential_base,
    Role::chain,    Role::chain_twice, Role::bridge};
const char* to_string(Role role);
// Whether the role of this name is a stream's.
inline bool is_stream(std::string_view name) {
  return name == to_string(Role::stream) || name == to_string(Role::stream_twice);
}

// Something for each role.
template <class T>
struct ByRole {
  std::array<T, all_roles.size()> values{};
  T& operator[](Role role) { return values[static_cast<std::size_t>(role)]; }
  const T& operator[](Role role) const { return values[static_cast<std::size_t>(role)]; }
};

}  // namespace ptxlat::latency
