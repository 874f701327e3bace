#include "line/kernel_assembler.h"

#include <fmt/format.h>

#include <set>

#include "hash.h"
#include "ptx/skeleton.h"

namespace ptxlat::line {

namespace {

class ModuleAssembler : public KernelAssembler {
 public:
  ModuleAssembler(std::unique_ptr<Assembler> assembler, const Toolchain& toolchain, const Target& target)
      : assembler_(std::move(assembler)),
        target_(target),
        header_(fmt::format(".version {}.{}\n.target {}\n.address_size 64\n", toolchain.ptx_major, toolchain.ptx_minor,
                            target.name())) {}

  BatchOutcome assemble(const std::vector<NamedKernel>& kernels, int level) override {
    auto header = header_;
    std::set<std::string> seen;  // what several kernels need at module scope is there once
    std::vector<KernelText> texts;
    for (const auto& [name, kernel] : kernels) {
      for (const auto& text : kernel->module) {
        if (seen.insert(text).second) header += text + "\n";
      }
      texts.push_back({name, fill({"frame.ptx", kernel->text}, {{"name", name}})});
    }
    return assemble_batch(*assembler_, header, texts, target_, level);
  }

 private:
  std::unique_ptr<Assembler> assembler_;
  Target target_;
  std::string header_;
};

}  // namespace

std::uint64_t text_hash(const Kernel& kernel) {
  Hash hash;
  add(hash, kernel);
  return hash.value();
}

std::unique_ptr<KernelAssembler> make_kernel_assembler(std::unique_ptr<Assembler> assembler, const Toolchain& toolchain,
                                                       const Target& target) {
  return std::make_unique<ModuleAssembler>(std::move(assembler), toolchain, target);
}

}  // namespace ptxlat::line
