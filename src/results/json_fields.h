// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

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

}  // namespace ptxlat::results
