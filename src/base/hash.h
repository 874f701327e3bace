// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library is inlined, so that the program runs on machines without it.
#define XXH_INLINE_ALL
#include <fmt/core.h>
#include <xxhash.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ptxlat {

// XXH3: a change detector, not a signature. The lengths of the added parts are part of the hash.
class Hash {
 public:
  Hash() : state_(XXH3_createState(), XXH3_freeState) { XXH3_128bits_reset(state_.get()); }

  template <typename Number>
  requires std::is_arithmetic_v<Number> || std::is_enum_v<Number>
  void add(Number number) { XXH3_128bits_update(state_.get(), &number, sizeof number); }
  void add(std::string_view text) {
    add(text.size());
    XXH3_128bits_update(state_.get(), text.data(), text.size());
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void add(const std::vector<Number>& numbers) {
    add(numbers.size());
    XXH3_128bits_update(state_.get(), numbers.data(), numbers.size() * sizeof(Number));
  }

  // 16 hexadecimal digits.
  std::string text() const { return fmt::format("{:016x}", value()); }
  std::uint64_t value() const { return XXH3_128bits_digest(state_.get()).low64; }
  std::array<std::uint64_t, 2> wide() const {
    const auto digest = XXH3_128bits_digest(state_.get());
    return {digest.low64, digest.high64};
  }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

}  // namespace ptxlat
