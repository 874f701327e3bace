// SPDX-License-Identifier: Apache-2.0

// The parser itself, compiled here and nowhere else (TOML_HEADER_ONLY=0). toml++ 3.3 asserts, or in a release assumes,
// what a malformed file can break ("[[[x]]"): here that is an exception, in every build.
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
