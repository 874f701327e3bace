// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assemble/toolchain.h"
#include "catch.h"
#include "sass/cubin.h"
#include "sass/disassembler.h"
#include "sass/window.h"

namespace ptxlat {

// The toolkits of this machine and of the repository.
inline std::vector<std::filesystem::path> all_toolkits() {
  auto folders = assemble::toolkit_folders();
  const std::filesystem::path own = std::filesystem::path(PTXLAT_SOURCE_DIR) / "toolkits";
  if (std::filesystem::is_directory(own)) {
    for (const auto& entry : std::filesystem::directory_iterator(own)) folders.push_back(entry.path());
  }
  return folders;
}

inline std::filesystem::path nvdisasm_or_skip() {
  const auto found = assemble::find_nvdisasm(all_toolkits());
  if (found.empty()) skip("no nvdisasm on this machine (tools/toolkits.sh brings one)");
  return found;
}

inline std::vector<assemble::Toolchain> ptxas_or_skip() {
  auto found = assemble::find_toolchains(all_toolkits());
  std::erase_if(found,
                [](const assemble::Toolchain& toolchain) { return toolchain.kind != assemble::ToolchainKind::ptxas; });
  if (found.empty()) skip("no ptxas on this machine (tools/toolkits.sh brings one)");
  return found;
}

// The first kernel of a cubin around its clocks, with all texts.
inline sass::Window disassembled(sass::Nvdisasm& nvdisasm, const Bytes& cubin, int sm) {
  const auto code = sass::read_cubin(cubin).kernels.front();
  std::string why;
  auto window = *sass::find_window(code, why);
  std::vector<sass::Instruction*> wanted;
  for (auto* part : {&window.prologue, &window.instructions, &window.epilogue}) {
    for (auto& one : *part) wanted.push_back(&one);
  }
  nvdisasm.disassemble(sm, wanted);
  return window;
}

// A kernel with two clocks, a popc between them and a loop around.
inline constexpr char popc_ptx[] = R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry popc_kernel(.param .u64 out)
{
  .reg .b32 %r<8>;
  .reg .b64 %d;
  .reg .pred %p;
  ld.param.u64 %d, [out];
  mov.u32 %r6, 0;
PASS:
  .pragma "nounroll";
  ld.volatile.global.u32 %r1, [%d];
  setp.eq.u32 %p, %r1, 12345;
  @%p bra DONE;
  mov.u32 %r3, %clock;
  popc.b32 %r2, %r1;
  xor.b32 %r2, %r2, %r1;
  mov.u32 %r4, %clock;
  st.volatile.global.v2.u32 [%d], {%r3, %r4};
  st.volatile.global.u32 [%d+8], %r2;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p, %r6, 4;
  @%p bra PASS;
DONE:
  ret;
}
)";

}  // namespace ptxlat
