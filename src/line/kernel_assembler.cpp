// SPDX-License-Identifier: Apache-2.0
#include "line/kernel_assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/hash.h"
#include "ptx/skeleton.h"
#include "sass/cubin.h"
#include "sass/results.h"

namespace ptxlat::line {

namespace {

// The kernels, by their position, that share a module on which their code depends.
std::vector<std::size_t> kernels_that_depend_on_company(const assemble::BatchOutcome& outcome) {
  std::vector<std::size_t> dependent;
  for (std::size_t cubin = 0; cubin < outcome.cubins.size(); ++cubin) {
    const auto is_in_it = [&](const assemble::KernelOutcome& kernel) { return kernel.cubin == cubin; };
    if (std::count_if(outcome.kernels.begin(), outcome.kernels.end(), is_in_it) < 2) continue;
    std::set<std::string> calling;
    try {
      calling = sass::kernels_that_call_by_address(sass::read_cubin(outcome.cubins[cubin]).kernels);
    } catch (const Error&) {
      continue;  // the batch reports it
    }
    for (std::size_t i = 0; i < outcome.kernels.size(); ++i) {
      if (is_in_it(outcome.kernels[i]) && calling.contains(outcome.kernels[i].symbol)) dependent.push_back(i);
    }
  }
  return dependent;
}

class ModuleAssembler : public KernelAssembler {
 public:
  ModuleAssembler(std::unique_ptr<assemble::Assembler> assembler, const assemble::Toolchain& toolchain,
                  const isa::Target& target)
      : assembler_(std::move(assembler)),
        target_(target),
        header_(fmt::format(".version {}.{}\n.target {}\n.address_size 64\n", toolchain.ptx_major, toolchain.ptx_minor,
                            target.name())) {}

  // A kernel whose code depends on its neighbours is assembled again, without any.
  assemble::BatchOutcome assemble(const std::vector<NamedKernel>& kernels, int level) override {
    auto outcome = assemble_module(kernels, level);
    for (const auto i : kernels_that_depend_on_company(outcome)) {
      auto alone = assemble_module({kernels[i]}, level);
      outcome.kernels[i] = std::move(alone.kernels.front());
      if (!outcome.kernels[i].cubin) continue;
      outcome.kernels[i].cubin = outcome.cubins.size();
      outcome.cubins.push_back(std::move(alone.cubins.front()));
    }
    return outcome;
  }

  assemble::CodeOrigin origin() override { return assembler_->origin(); }

 private:
  assemble::BatchOutcome assemble_module(const std::vector<NamedKernel>& kernels, int level) {
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

  std::unique_ptr<assemble::Assembler> assembler_;
  isa::Target target_;
  std::string header_;
};

}  // namespace

std::uint64_t text_hash(const ptx::Kernel& kernel) {
  Hash hash;
  ptx::add(hash, kernel);
  return hash.value();
}

std::unique_ptr<KernelAssembler> make_kernel_assembler(std::unique_ptr<assemble::Assembler> assembler,
                                                       const assemble::Toolchain& toolchain,
                                                       const isa::Target& target) {
  return std::make_unique<ModuleAssembler>(std::move(assembler), toolchain, target);
}

}  // namespace ptxlat::line
