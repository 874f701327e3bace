#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptxlat {

// One kernel with the values of its operands.
//   text            complete but for its name: the hole {{name}} is left, so that two experiments that need the same
//                   kernel have equal texts
//   module          what it needs at module scope, in this order: the same texts for all kernels that need the same
//   input           bits of the operands, [lane * operands_per_slot + operand]
//   dynamic_shared  bytes
//   uses_memory     it reads or writes the scratch memory or what the host made in front of it
struct Kernel {
  std::string text;
  std::vector<std::string> module;
  std::vector<std::uint64_t> input;
  int lanes = 32;
  int cluster = 1;
  int dynamic_shared = 0;
  bool uses_memory = false;
  bool operator==(const Kernel&) const = default;
};

}  // namespace ptxlat
