// SPDX-License-Identifier: Apache-2.0
#include "ptx/store_live.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/types.h"
#include "ptx/kernel_builder.h"

namespace ptxlat::ptx {

namespace {

std::string keep_one(const std::string& name, const std::string& type, int at) {
  const int bits = isa::register_bits(type);
  if (bits == 1)
    return fmt::format("  selp.b32 %low, 1, 0, {};\n  st.volatile.global.b32 [%out+{}], %low;\n", name, at);
  if (bits == 128)
    return fmt::format("  mov.b128 {{%u2, %u3}}, {};\n  st.volatile.global.v2.b64 [%out+{}], {{%u2, %u3}};\n", name,
                       at);
  return fmt::format("  st.volatile.global.b{} [%out+{}], {};\n", bits, at, name);
}

}  // namespace

std::string store_live(const std::vector<std::string>& registers, const std::string& type, int at) {
  std::string kept;
  if (!is_wide(registers, type)) {
    for (const auto& name : registers) kept += keep_one(name, type, at);
    return kept;
  }
  for (auto first = registers.begin(); first != registers.end(); first += registers_per_access)
    kept += fmt::format("  st.volatile.global.v4.b32 [%out+{}], {{{}}};\n", at,
                        fmt::join(first, first + registers_per_access, ", "));
  return kept;
}

std::string store_live_both_sides(const std::vector<std::string>& registers, const std::string& type, bool has_room,
                                  int at) {
  if (has_room && is_wide(registers, type)) return store_live(registers, type, at);
  std::string kept;
  for (const auto& name : registers) {
    // A 16-bit computation would move to both sides of the branch if its result were stored directly.
    if (isa::register_bits(type) == 16) {
      kept += fmt::format("  mov.b32 %low, {{{0}, {0}}};\n", name) + keep_one("%low", "b32", at);
    } else {
      kept += keep_one(name, type, at);
    }
  }
  return kept;
}

std::string store_live_scratch(const std::string& text) {
  std::string kept;
  for (const auto& [name, type] :
       {std::pair{"t0", "b32"}, {"t1", "b32"}, {"t2", "b32"}, {"t3", "b32"}, {"u0", "b64"}, {"u1", "b64"}}) {
    if (text.find(fmt::format("{{{}}}", name)) != std::string::npos)
      kept += keep_one(fmt::format("%{}", name), type, place_of_results);
  }
  return kept;
}

}  // namespace ptxlat::ptx
