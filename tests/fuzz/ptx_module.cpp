// SPDX-License-Identifier: Apache-2.0
#include "cuda/ptx_module.h"

#include "cuda/functions.h"
#include "cuda/splice.h"
#include "fuzz.h"

namespace ptxlat::fuzz {

// What NVRTC wrote, spliced into forms of one and of two values; and as the log of a rejected program.
void ptx_module(std::string_view input) {
  const auto module = cuda::parse_ptx_module(std::string(input));
  const std::vector<cuda::FunctionInterface> interfaces = {
      {{{"{a}", "u32", 0}}, {{"{d}", "u32", 0}}},
      {{{"{a}", "f32", 0}, {"{b}", "pred", 1}}, {{"{d.0}", "f16", 0}, {"{d.1}", "u64", 8}}}};
  for (const auto& [name, function] : module.functions) {
    for (const auto& interface : interfaces) cuda::splice(module, name, interface);
  }
  isa::Form form;
  form.ptx = form.opcode = "f";
  form.text = "{d} = f({a})";
  form.operands = {{"d", "u32", true}, {"a", "u32", false}};
  form.cuda = {form.text, "", ""};
  bool has_answered = false;
  cuda::compile_functions({&form, &form}, {90, "a"}, "/headers", [&](const std::string&, const auto&) {
    if (std::exchange(has_answered, true)) return assemble::CompileOutcome{std::string(input), {}};
    return assemble::CompileOutcome{std::nullopt, std::string(input)};
  });
}

}  // namespace ptxlat::fuzz
