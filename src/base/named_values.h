// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace ptxlat {

// How files spell the values of an enumeration.
template <class Value, std::size_t count>
using NamedValues = std::array<std::pair<Value, const char*>, count>;

template <class Value, std::size_t count>
const char* name_in(const NamedValues<Value, count>& names, Value wanted) {
  for (const auto& [value, name] : names) {
    if (value == wanted) return name;
  }
  return "?";
}

template <class Value, std::size_t count>
std::optional<Value> value_in(const NamedValues<Value, count>& names, std::string_view wanted) {
  for (const auto& [value, name] : names) {
    if (name == wanted) return value;
  }
  return std::nullopt;
}

template <class Value, std::size_t count>
std::array<const char*, count> names_of(const NamedValues<Value, count>& names) {
  std::array<const char*, count> all{};
  for (std::size_t i = 0; i < count; ++i) all[i] = names[i].second;
  return all;
}

}  // namespace ptxlat
