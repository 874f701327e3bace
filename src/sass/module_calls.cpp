// SPDX-License-Identifier: Apache-2.0
#include "sass/module_calls.h"

#include <algorithm>

namespace ptxlat::sass {

namespace {

// Before Volta, nvdisasm shows none.
bool calls_by_address(CodeLayout layout, const InstructionWord& word) {
  constexpr int call_absolute = 0x343, call_relative = 0x344;  // to the address in a register
  const int opcode = opcode_field(layout, word);
  return layout == CodeLayout::volta && (opcode == call_absolute || opcode == call_relative);
}

}  // namespace

std::set<std::string> kernels_that_call_by_address(const std::vector<KernelCode>& kernels) {
  std::set<std::string> names;
  for (const auto& kernel : kernels) {
    const bool calls = std::any_of(kernel.words.begin(), kernel.words.end(),
                                   [&](const auto& word) { return calls_by_address(kernel.layout, word); });
    if (calls) names.insert(kernel.name);
  }
  return names;
}

}  // namespace ptxlat::sass
