// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "assemble/assembler.h"

namespace ptxlat::assemble {

// nvJitLink, opened at run time. It runs inside the caller's process, so only a worker process may use it: a crash or a
// hang of the library is a crash or a hang of the process. The library is never closed.
class NvJitLink {
 public:
  // Error{missing_tool} if the library cannot be opened.
  explicit NvJitLink(const std::filesystem::path& library);

  // level: 0…3.
  ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) const;

 private:
  using Handle = struct nvJitLink*;
  using Result = int;

  std::string read_log(Handle handle, Result (*get_size)(Handle, std::size_t*), Result (*get)(Handle, char*)) const;

  Result (*create_)(Handle*, std::uint32_t, const char**);
  Result (*destroy_)(Handle*);
  Result (*add_data_)(Handle, int, const void*, std::size_t, const char*);
  Result (*complete_)(Handle);
  Result (*cubin_size_)(Handle, std::size_t*);
  Result (*cubin_)(Handle, void*);
  Result (*error_log_size_)(Handle, std::size_t*);
  Result (*error_log_)(Handle, char*);
  Result (*info_log_size_)(Handle, std::size_t*);
  Result (*info_log_)(Handle, char*);
};

}  // namespace ptxlat::assemble
