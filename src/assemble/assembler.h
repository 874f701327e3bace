// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "isa/target.h"

namespace ptxlat::assemble {

// One .entry of PTX, complete from ".visible .entry NAME" to its closing brace. Names are unique in a module.
struct KernelText {
  std::string name;
  std::string body;
};

// The outcome of one kernel.
//   cubin   index into BatchOutcome::cubins; empty if it was rejected
//   symbol  its name in that cubin
//   log     the assembler's messages about this kernel if it was rejected, or how the assembler died
//   assembler_failed  as in ModuleOutcome
struct KernelOutcome {
  std::optional<std::size_t> cubin;
  std::string symbol;
  std::string log;
  bool assembler_failed = false;
};

struct BatchOutcome {
  std::vector<Bytes> cubins;
  std::vector<KernelOutcome> kernels;  // one per given kernel, in order
};

// The outcome of one module.
//   assembler_failed  it crashed, hung, or ended without a message about the PTX: no verdict on the module, of which
//                     another attempt may make a cubin
//   lacked_memory     it failed for lack of memory, or perhaps did
struct ModuleOutcome {
  std::optional<Bytes> cubin;
  std::string log;
  bool assembler_failed = false;
  bool lacked_memory = false;
};

// The end of such a log: "the assembler failed: ptxas died of signal 11".
inline std::string failure_words(const std::string& how) { return "the assembler failed: " + how; }

// What kind of code it is: that of a whole program, as nvcc, ptxas and cuModuleLoadDataEx make it, or relocatable code
// for a linker (`ptxas -c`, cuLink*, nvJitLink), whose fences, calls and slow paths are others.
//   way  how it is made, for people: "cuModuleLoadDataEx, with CUPTI"
struct CodeOrigin {
  bool is_whole_program = true;
  std::string way;
};
// Those that always make it in the same way.
inline CodeOrigin origin_of_ptxas() { return {true, "ptxas"}; }
inline CodeOrigin origin_of_nvjitlink() { return {false, "nvJitLink"}; }

// Turns the text of one PTX module into a cubin. An implementation is used by one thread at a time; it survives a crash
// or a hang of the real assembler, which it reports as a rejection ("ptxas died of signal 11").
class Assembler {
 public:
  virtual ~Assembler() = default;
  // level: 0…4 as in -O; ptxas and nvJitLink know 0…3.
  virtual ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) = 0;
  // Of all its modules. May wait until it has started; throws if it cannot.
  virtual CodeOrigin origin() { return {}; }
};

// Assembles many kernels as one module and, if the module is rejected, bisects it until the faulty kernels are
// isolated, so that no kernel is lost because of its neighbour's mistake. `header` is the
// .version/.target/.address_size part.
BatchOutcome assemble_batch(Assembler& assembler, const std::string& header, const std::vector<KernelText>& kernels,
                            const isa::Target& target, int level);

}  // namespace ptxlat::assemble
