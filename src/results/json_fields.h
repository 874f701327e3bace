// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxlat::results {

// Keys stay in the order in which they were written, because people also read the files.
using Json = nlohmann::ordered_json;

// Cycles are nearly always whole: 4, not 4.0. A missing number is null.
inline Json json_number(const std::optional<double>& value) {
  constexpr double exact_integers = 9007199254740992.0;  // 2^53
  if (!value) return nullptr;
  if (*value == std::trunc(*value) && std::abs(*value) < exact_integers) return static_cast<std::int64_t>(*value);
  return *value;
}

// An empty value has no key.
inline void put(Json& json, const char* key, const std::optional<double>& value) {
  if (value) json[key] = json_number(value);
}
inline void put(Json& json, const char* key, const std::string& value) {
  if (!value.empty()) json[key] = value;
}

inline std::optional<double> optional_number(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}
inline std::optional<double> number_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? std::nullopt : optional_number(*found);
}
inline std::string text_at(const Json& json, const char* key) { return json.value(key, std::string()); }

// A whole number that fits; std::invalid_argument for everything else. nlohmann's own get<int> turns 1e300 into
// whatever the processor makes of it.
template <std::integral Integer>
Integer integer_of(const Json& value) {
  if (value.is_number_unsigned()) {
    if (const auto whole = value.get<std::uint64_t>(); std::in_range<Integer>(whole))
      return static_cast<Integer>(whole);
  } else if (value.is_number_integer()) {
    if (const auto whole = value.get<std::int64_t>(); std::in_range<Integer>(whole)) return static_cast<Integer>(whole);
  } else if (value.is_number_float()) {
    constexpr double exact = 9007199254740992.0;  // 2^53
    const auto number = value.get<double>();
    if (number == std::trunc(number) && std::abs(number) < exact) return integer_of<Integer>(json_number(number));
  }
  throw std::invalid_argument("a whole number is expected instead of " + value.dump());
}
template <std::integral Integer>
Integer integer_at(const Json& json, const char* key, Integer by_default) {
  const auto found = json.find(key);
  return found == json.end() ? by_default : integer_of<Integer>(*found);
}
template <std::integral Integer>
std::vector<Integer> integers_of(const Json& values) {
  std::vector<Integer> integers;
  for (const Json& value : values) integers.push_back(integer_of<Integer>(value));
  return integers;
}

// The text as JSON; a std::exception if it is not JSON, or if it nests more deeply than anything that ptxlat writes:
// copying and writing it recurse as deeply.
Json parse_json(std::string_view text);

}  // namespace ptxlat::results
