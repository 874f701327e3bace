// SPDX-License-Identifier: Apache-2.0
#include "isa/types.h"

#include <algorithm>
#include <array>
#include <map>

#include "isa/form.h"

namespace ptxlat::isa {
namespace {

using enum Encoding;

constexpr std::array<TypeInfo, 28> known_types = {{
    {"pred", 1, 1, 1, predicate},
    {"imm", 0, 64, 1, none},
    {"carry", 0, 1, 1, none},
    {"u8", 16, 8, 1, unsigned_integer},
    {"u16", 16, 16, 1, unsigned_integer},
    {"u32", 32, 32, 1, unsigned_integer},
    {"u64", 64, 64, 1, unsigned_integer},
    {"s8", 16, 8, 1, signed_integer},
    {"s16", 16, 16, 1, signed_integer},
    {"s32", 32, 32, 1, signed_integer},
    {"s64", 64, 64, 1, signed_integer},
    {"b8", 16, 8, 1, bits},
    {"b16", 16, 16, 1, bits},
    {"b32", 32, 32, 1, bits},
    {"b64", 64, 64, 1, bits},
    {"b128", 128, 64, 2, bits},
    {"u16x2", 32, 16, 2, unsigned_integer},
    {"s16x2", 32, 16, 2, signed_integer},
    {"f16", 16, 16, 1, half},
    {"f16x2", 32, 16, 2, half},
    {"bf16", 16, 16, 1, bfloat},
    {"bf16x2", 32, 16, 2, bfloat},
    {"f32", 32, 32, 1, single_float},
    {"tf32", 32, 32, 1, single_float},
    {"f32x2", 64, 32, 2, single_float},
    {"f64", 64, 64, 1, double_float},
    {"e4m3x2", 16, 16, 1, bits},
    {"e5m2x2", 16, 16, 1, bits},
}};

}  // namespace

const TypeInfo* find_type(std::string_view name) {
  const auto found =
      std::find_if(known_types.begin(), known_types.end(), [&](const TypeInfo& type) { return type.name == name; });
  return found == known_types.end() ? nullptr : &*found;
}

std::string cuda_type(std::string_view name, int count) {
  static const std::map<std::string_view, std::string> scalars = {{"u16", "unsigned short"},
                                                                  {"s16", "short"},
                                                                  {"u32", "unsigned int"},
                                                                  {"s32", "int"},
                                                                  {"u64", "unsigned long long"},
                                                                  {"s64", "long long"},
                                                                  {"f32", "float"},
                                                                  {"f64", "double"},
                                                                  {"f16", "__half"},
                                                                  {"f16x2", "__half2"},
                                                                  {"bf16", "__nv_bfloat16"},
                                                                  {"bf16x2", "__nv_bfloat162"},
                                                                  {"u16x2", "unsigned int"},
                                                                  {"s16x2", "unsigned int"},
                                                                  {"pred", "bool"}};
  static const std::map<std::string_view, std::string> vectors = {
      {"u32", "uint"}, {"s32", "int"}, {"u64", "ulonglong"}, {"s64", "longlong"}, {"f32", "float"}, {"f64", "double"}};
  const auto& names = count == 0 ? scalars : vectors;
  const auto found = names.find(name);
  if (found == names.end()) return {};
  return count == 0 ? found->second : found->second + std::to_string(count);
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const TypeInfo& type : known_types) {
    if (type.name != "carry") names.emplace_back(type.name);
  }
  return names;
}

int register_bits(const std::string& type) {
  const TypeInfo* info = find_type(type);
  return info == nullptr ? 0 : info->register_bits;
}

}  // namespace ptxlat::isa
