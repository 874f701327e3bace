#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "isa/target.h"

namespace ptxlat::assemble {

// One .entry of PTX, complete from ".visible .entry NAME" to its closing brace. Names are unique in a module.
struct KernelText {
  std::string name;
  std::string body;
};

// What became of one kernel.
//   cubin   index into BatchOutcome::cubins; empty if it was rejected
//   symbol  its name in there
//   log     the assembler's own words about this kernel when it was rejected, or how the assembler died
struct KernelOutcome {
  std::optional<std::size_t> cubin;
  std::string symbol;
  std::string log;
};

struct BatchOutcome {
  std::vector<Bytes> cubins;
  std::vector<KernelOutcome> kernels;  // one per kernel given, in their order
};

// The outcome of one module.
struct ModuleOutcome {
  std::optional<Bytes> cubin;
  std::string log;
};

// Turns the text of one PTX module into a cubin. An implementation is used by one thread at a time; it survives a crash
// or a hang of the assembler proper, which it reports as a rejection ("ptxas died of signal 11").
class Assembler {
 public:
  virtual ~Assembler() = default;
  // level: 0…4 as in -O; ptxas and nvJitLink know 0…3.
  virtual ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) = 0;
};

// Assembles many kernels as one module and, where the module is refused, bisects until the kernels at fault are alone,
// so that no kernel is lost to its neighbour's mistake. `header` is the .version/.target/.address_size part.
BatchOutcome assemble_batch(Assembler& assembler, const std::string& header, const std::vector<KernelText>& kernels,
                            const isa::Target& target, int level);

}  // namespace ptxlat::assemble
