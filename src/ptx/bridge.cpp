// SPDX-License-Identifier: Apache-2.0
#include "ptx/bridge.h"

#include <fmt/format.h>

#include "isa/form.h"

namespace ptxlat::ptx {

namespace {

// Half of a 32- or 64-bit register, or a quarter of a 64-bit one, is a separate register in PTX; mov packs and unpacks.
Bridge unpack(int from, int to) {
  Bridge bridge;
  bridge.is_free = to == 32;
  std::string parts = "{to}";
  for (int i = 1; i < from / to; ++i) {
    const auto name = fmt::format("%rest_{}", i);
    bridge.scratch.emplace_back(name, fmt::format("b{}", to));
    parts += ", " + name;
  }
  bridge.text = fmt::format("mov.b{} {{{}}}, {{from}};", from, parts);
  return bridge;
}

Bridge pack(int from, int to) {
  Bridge bridge;
  bridge.is_free = from == 32;
  bridge.opaque.emplace_back("%fill", fmt::format("b{}", from));
  std::string parts = "{from}";
  for (int i = 1; i < to / from; ++i) parts += ", %fill";
  bridge.text = fmt::format("mov.b{} {{to}}, {{{}}};", to, parts);
  return bridge;
}

}  // namespace

Bridge bridge_between(const std::string& from_type, const std::string& to_type, bool sets_carry) {
  const int from = isa::register_bits(from_type), to = isa::register_bits(to_type);
  Bridge bridge;
  if (to_type == "carry") {
    if (sets_carry) {
      bridge.is_none = bridge.is_free = true;
      return bridge;
    }
    bridge.scratch.emplace_back("%sum", fmt::format("b{}", from));
    bridge.text = fmt::format("add.cc.u{} %sum, {{from}}, -1;", from);
    return bridge;
  }
  if (from == to) {
    bridge.is_none = bridge.is_free = true;
    return bridge;
  }
  if (from == 1) {
    bridge.opaque = {{"%one", fmt::format("b{}", to)}, {"%other", fmt::format("b{}", to)}};
    bridge.text = fmt::format("selp.b{} {{to}}, %one, %other, {{from}};", to);
    return bridge;
  }
  if (to == 1) {
    bridge.text = fmt::format("setp.ne.b{} {{to}}, {{from}}, 0;", from);
    return bridge;
  }
  return from > to ? unpack(from, to) : pack(from, to);
}

Bridge address_bridge(const std::string& from_type, const std::string& address_type) {
  const int from = isa::register_bits(from_type), to = isa::register_bits(address_type);
  Bridge bridge;
  bridge.needs_base = true;
  bridge.scratch = {{"%step", address_type}, {"%base", address_type}};
  bridge.zero = {{"%zero", address_type}};
  std::string value = "{from}";
  if (from == 1) {
    bridge.opaque = {{"%one", address_type}, {"%other", address_type}};
    bridge.text = fmt::format("selp.b{} %step, %one, %other, {{from}}; ", to);
    value = "%step";
  } else if (from == 128) {
    // ptxas would not load the parts that no step needs.
    bridge.scratch.emplace_back("%upper", "b64");
    bridge.scratch.emplace_back("%lower", "b64");
    bridge.text = "mov.b128 {%lower, %upper}, {from}; xor.b64 %lower, %lower, %upper; ";
    value = "%lower";
    if (to == 32) {
      bridge.scratch.emplace_back("%half", "b32");
      bridge.text += "mov.b64 {%step, %half}, %lower; xor.b32 %step, %step, %half; ";
      value = "%step";
    }
  } else if (from != to) {
    bridge.text = fmt::format("cvt.u{}.u{} %step, {{from}}; ", to, from);
    value = "%step";
  }
  bridge.text += fmt::format("and.b{0} %step, {1}, %zero; add.u{0} {{to}}, %base, %step;", to, value);
  return bridge;
}

}  // namespace ptxlat::ptx
