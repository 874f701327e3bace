// SPDX-License-Identifier: Apache-2.0
#include "cuda/part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace ptxlat::cuda {

namespace {

// "{_, %rs1}": the second of two.
std::string one_of(const std::string& name, int index, int count) {
  std::vector<std::string> all(static_cast<std::size_t>(count), "_");
  all[static_cast<std::size_t>(index)] = name;
  return fmt::format("{{{}}}", fmt::join(all, ", "));
}

// One register's part, from this bit of the operand.
std::vector<std::string> one_part(const std::string& operand, int operand_bits, const PartLoad& load,
                                  const std::string& to, int offset) {
  const int width = load.width, bits = load.bits;
  const char* sign = load.is_signed ? "s" : "u";
  std::vector<std::string> code;
  const auto add = [&](const std::string& opcode, const std::string& from, std::uint64_t literal) {
    code.push_back(fmt::format("{} {}, {}, {};", opcode, to, from, literal));
  };
  // First a register of the right width that has the part, then that part of it.
  auto from = operand;
  int at = offset;
  if (width < operand_bits) {
    code.push_back(
        fmt::format("mov.b{} {}, {};", operand_bits, one_of(to, offset / width, operand_bits / width), operand));
    from = to;
    at = offset % width;
  } else if (width > operand_bits) {
    code.push_back(fmt::format("cvt.{0}{1}.{0}{2} {3}, {4};", sign, width, operand_bits, to, operand));
    from = to;
  }
  const int end = std::min(width, operand_bits);
  if (at == 0 && bits == end) return code;
  if (at + bits == end) {
    add(fmt::format("shr.{}{}", sign, width), from, at);
  } else if (at == 0 && load.is_signed) {
    code.push_back(fmt::format("cvt.s{}.s{} {}, {};", width, bits, to, from));
  } else if (load.is_signed) {
    add(fmt::format("shl.b{}", width), from, width - bits - at);
    add(fmt::format("shr.s{}", width), to, width - bits);
  } else {
    if (at > 0) add(fmt::format("shr.u{}", width), from, at);
    add(fmt::format("and.b{}", width), at > 0 ? to : from, (std::uint64_t{1} << bits) - 1);
  }
  return code;
}

}  // namespace

std::vector<std::string> part_of(const std::string& operand, int operand_bits, const PartLoad& load) {
  if (load.width == 0) return {};
  const auto count = static_cast<int>(load.to.size());
  if (load.bits == load.width && load.bits * count == operand_bits)
    return {fmt::format("mov.b{} {{{}}}, {};", operand_bits, fmt::join(load.to, ", "), operand)};
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) {
    const auto one =
        one_part(operand, operand_bits, load, load.to[static_cast<std::size_t>(i)], load.offset + i * load.bits);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

}  // namespace ptxlat::cuda
