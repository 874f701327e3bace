// SPDX-License-Identifier: Apache-2.0

// The parser itself, compiled here and nowhere else (TOML_HEADER_ONLY=0). toml++ 3.3 asserts (or in release builds
// assumes) things that a malformed file can violate ("[[[x]]"): here that is an exception, in every build.
#include <stdexcept>

namespace {

constexpr void require(bool is_true, const char* what) {
  if (!is_true) throw std::logic_error(what);
}

}  // namespace

#undef NDEBUG
#define TOML_ASSERT(condition) require(static_cast<bool>(condition), #condition)
#define TOML_IMPLEMENTATION
#include "isa/toml.h"
