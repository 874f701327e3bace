// SPDX-License-Identifier: Apache-2.0
#include "ptx/feedback.h"

#include <fmt/format.h>

#include "isa/form.h"

namespace ptxlat::ptx {

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
