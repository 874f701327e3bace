#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ptxlat {

// FNV-1a, 64 bits: a change detector, not a signature.
struct Hash {
  std::uint64_t value = 14695981039346656037ull;
  void add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value = (value ^ bytes[i]) * 1099511628211ull;
  }
  void add(const std::string& text) { add(text.data(), text.size() + 1); }
};

}  // namespace ptxlat
