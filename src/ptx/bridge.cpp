// SPDX-License-Identifier: Apache-2.0
#include "ptx/bridge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/form.h"
#include "isa/types.h"
#include "ptx/kernel_builder.h"

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

namespace {

constexpr int word_bits = 32;

// The bits of `from` as the word %fed.
std::string word_of(const std::string& from, int bits) {
  if (bits == 1) return fmt::format("selp.b32 %fed, 1, 0, {};", from);
  if (bits < word_bits) return fmt::format("cvt.u32.u16 %fed, {};", from);
  if (bits == word_bits) return fmt::format("mov.b32 %fed, {};", from);
  if (bits == 2 * word_bits) return fmt::format("mov.b64 {{%fed, %fed_rest}}, {};", from);
  return fmt::format("mov.b128 {{%fed_low, %fed_high}}, {}; mov.b64 {{%fed, %fed_rest}}, %fed_low;", from);
}

}  // namespace

void prepare_feedback(KernelBuilder& builder) {
  const isa::Value zero{"0", "0", false};
  builder.load({"%zero_first"}, "b32", zero);
  builder.load({"%zero_second"}, "b32", zero);
  for (const auto* name : {"%fed", "%fed_rest", "%into", "%into_rest"}) builder.declare(name, "b32");
  for (const auto* name : {"%fed_low", "%fed_high", "%into_low", "%into_high"}) builder.declare(name, "b64");
  builder.declare("%fed_half", "b16");
  builder.declare("%fed_is_set", "pred");
}

std::string feedback_text(const std::string& from, const std::string& from_type, const std::string& to,
                          const std::string& to_type, Feedback which) {
  const bool is_first = which == Feedback::first;
  const char* const with = is_first ? "xor" : "or";
  const char* const zero = is_first ? "%zero_first" : "%zero_second";
  const int bits = isa::register_bits(to_type);
  auto text = fmt::format("  {} and.b32 %fed, %fed, {};", word_of(from, isa::register_bits(from_type)), zero);
  if (bits == 1) {
    text += fmt::format(" setp.ne.b32 %fed_is_set, %fed, 0; {0}.pred {1}, {1}, %fed_is_set;", with, to);
  } else if (bits < word_bits) {
    text += fmt::format(" cvt.u16.u32 %fed_half, %fed; {0}.b16 {1}, {1}, %fed_half;", with, to);
  } else if (bits == word_bits) {
    text += fmt::format(" {0}.b32 {1}, {1}, %fed;", with, to);
  } else if (bits == 2 * word_bits) {
    text += fmt::format(
        " mov.b64 {{%into, %into_rest}}, {1}; {0}.b32 %into, %into, %fed; mov.b64 {1}, {{%into, %into_rest}};", with,
        to);
  } else {
    text += fmt::format(
        " mov.b128 {{%into_low, %into_high}}, {1}; mov.b64 {{%into, %into_rest}}, %into_low; {0}.b32 %into, %into, "
        "%fed; mov.b64 %into_low, {{%into, %into_rest}}; mov.b128 {1}, {{%into_low, %into_high}};",
        with, to);
  }
  return text + "\n";
}

}  // namespace ptxlat::ptx
