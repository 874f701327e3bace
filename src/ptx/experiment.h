#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/form.h"
#include "ptx/skeleton.h"

namespace ptxlat {

inline constexpr int chain_steps = 4;  // the shorter chain; the longer has twice as many

// One kernel with the values of its operands.
//   text      complete but for its name: the hole {{name}} is left, so that two experiments that need the same kernel
//   have equal texts input     bits of the operands, [lane * operands_per_slot + operand]
struct Kernel {
  std::string text;
  std::vector<std::uint64_t> input;
  int lanes = 32;
  bool operator==(const Kernel&) const = default;
};

// What is run to measure one variant with one consumer. The kernels that a variant has no use for have an empty text.
struct Experiment {
  const Consumer* consumer = nullptr;
  Kernel overhead, bracket, differential, differential_base, chain, chain_twice;
  Kernel bridge;  // only where a step of the chain needs instructions to turn a result into a source operand
};

// The consumers that can be tried for a form, best first: its own or those for its result's type.
std::vector<const Consumer*> consumers_for(const Catalogue& catalogue, const Form& form);

// Expands a variant of a form that has a dependence to measure.
Experiment expand(const Catalogue& catalogue, const Skeletons& skeletons, const Variant& variant,
                  const Consumer& consumer);

}  // namespace ptxlat
