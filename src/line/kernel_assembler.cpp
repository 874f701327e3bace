// SPDX-License-Identifier: Apache-2.0
#include "line/kernel_assembler.h"

#include <fmt/format.h>

#include <set>

#include "base/hash.h"
#include "ptx/skeleton.h"

namespace ptxlat::line {

namespace {

class ModuleAssembler : public KernelAssembler {
 public:
  ModuleAssembler(std::unique_ptr<assemble::Assembler> assembler, const assemble::Toolchain& toolchain,
                  const isa::Target& target)
      : assembler_(std::move(assembler)),
        target_(target),
        header_(fmt::format(".version {}.{}\n.target {}\n.address_size 64\n", toolchain.ptx_major, toolchain.ptx_minor,
                            target.name())) {}

  assemble::BatchOutcome assemble(const std::vector<NamedKernel>& kernels, int level) override {
    auto header = header_;
    std::set<std::string> seen;  // declarations shared by several kernels appear once
    std::vector<assemble::KernelText> texts;
    for (const auto& [name, kernel] : kernels) {
      for (const auto& text : kernel->module) {
        if (seen.insert(text).second) header += text + "\n";
      }
      texts.push_back({name, ptx::fill({"frame.ptx", kernel->text}, {{"name", name}})});
    }
    return assemble::assemble_batch(*assembler_, header, texts, target_, level);
  }

 private:
  std::unique_ptr<assemble::Assembler> assembler_;
  isa::Target target_;
  std::string header_;
};

}  // namespace

std::uint64_t text_hash(const kernel::Kernel& kernel) {
  Hash hash;
  kernel::add(hash, kernel);
  return hash.value();
}

std::unique_ptr<KernelAssembler> make_kernel_assembler(std::unique_ptr<assemble::Assembler> assembler,
                                                       const assemble::Toolchain& toolchain,
                                                       const isa::Target& target) {
  return std::make_unique<ModuleAssembler>(std::move(assembler), toolchain, target);
}

}  // namespace ptxlat::line
