// SPDX-License-Identifier: Apache-2.0
#include "cli/cuda.h"

#include <fmt/format.h>

#include <algorithm>

#include "assemble/cuda_version.h"
#include "assemble/nvrtc.h"
#include "assemble/toolkit.h"
#include "base/error.h"
#include "cli/selection.h"
#include "cli/toolchains.h"

namespace ptxlat::cli {

namespace {

// What is missing, and what to do.
std::string without_nvrtc(const assemble::Toolchain& assembler) {
  if (assembler.kind == assemble::ToolchainKind::driver) {
    return fmt::format("found no NVRTC that makes PTX {}.{} or older, as {} requires; get one with tools/toolkits.sh",
                       assembler.ptx_major, assembler.ptx_minor, assembler.name);
  }
  return fmt::format("found no NVRTC of CUDA {0}, which {1} requires; get it with `tools/toolkits.sh {0}`",
                     assemble::release_of(assembler.version), assembler.name);
}

}  // namespace

cuda::CudaFunctions compile_cuda(const std::vector<const isa::Form*>& forms, const assemble::Toolchain& assembler,
                                 const isa::Target& target) {
  const bool has_any =
      std::any_of(forms.begin(), forms.end(), [](const isa::Form* form) { return form->cuda.has_value(); });
  if (!has_any) return {};
  const auto pieces = assemble::find_pieces(assemble::toolkit_folders(), {assemble::PieceKind::nvrtc});
  const auto available = toolchains_of(pieces);
  const assemble::Toolchain* nvrtc = assemble::nvrtc_for(assembler, available);
  if (nvrtc == nullptr) {
    cuda::CudaFunctions none;
    for (const auto* form : forms) {
      if (form->cuda) none.functions.push_back({form->ptx, {}, {}, without_nvrtc(assembler)});
    }
    return none;
  }
  worker::Worker worker(worker_options(0));
  const cuda::CudaCompiler compiler = [&](const std::string& program, const std::vector<std::string>& options) {
    return worker.compile(*nvrtc, program, options);
  };
  return {nvrtc->name, cuda::compile_functions(forms, target, assemble::headers_of(*nvrtc).string(), compiler)};
}

}  // namespace ptxlat::cli
