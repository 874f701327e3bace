// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "ptx/kernel.h"
#include "ptx/readout.h"
#include "sass/cubin.h"

namespace ptxlat::line {

// Trials with the same key are the same measurement: the same instructions on the same operands, with equal launches,
// the same number of times. 128 bits of XXH3: no two of a million kernels collide by chance.
using CodeKey = std::array<std::uint64_t, 2>;
CodeKey code_key(const sass::KernelCode& code, const ptx::Launch& launch, int launches);

// Machine code is run only once: this remembers what was launched in this run, and for which form first. Many forms and
// levels become the same code (1,288 single-instruction scalar forms use 55 opcodes), which makes a table of all forms
// affordable. Used by one thread at a time.
struct MeasuredCode {
  struct Launched {
    ptx::LaunchOutcome outcome;
    std::string form;
  };
  std::map<CodeKey, Launched> launched;
};

}  // namespace ptxlat::line
