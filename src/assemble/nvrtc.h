// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assemble/toolchain.h"

namespace ptxlat::assemble {

// The outcome of one program of CUDA C++.
//   ptx  empty if the compiler rejected it
//   log  its messages
//   compiler_failed  it crashed or hung: no verdict on the program, of which another attempt may make PTX
//   lacked_memory    it failed for lack of memory
struct CompileOutcome {
  std::optional<std::string> ptx;
  std::string log;
  bool compiler_failed = false;
  bool lacked_memory = false;
};

// NVRTC, opened at run time. Like nvJitLink it runs inside the caller's process and may take it down, so only a worker
// process may use it. Its builtins library is the one next to it. Neither is ever closed.
class Nvrtc {
 public:
  // Error{missing_tool} if the library cannot be opened.
  explicit Nvrtc(const std::filesystem::path& library);

  // `options` as for nvcc: "--gpu-architecture=compute_90".
  CompileOutcome compile(const std::string& program, const std::vector<std::string>& options) const;

 private:
  using Program = struct _nvrtcProgram*;
  using Result = int;

  std::string read_text(Program program, Result (*get_size)(Program, std::size_t*),
                        Result (*get)(Program, char*)) const;

  Result (*create_)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  Result (*destroy_)(Program*);
  Result (*compile_)(Program, int, const char* const*);
  Result (*ptx_size_)(Program, std::size_t*);
  Result (*ptx_)(Program, char*);
  Result (*log_size_)(Program, std::size_t*);
  Result (*log_)(Program, char*);
};

// The NVRTC that goes with an assembler: the newest of its own CUDA release (12.4 for ptxas-12.4.131); for the driver's
// JIT, the newest whose PTX version the driver accepts. nullptr if `available` has none.
const Toolchain* nvrtc_for(const Toolchain& assembler, const std::vector<Toolchain>& available);

// The folder with CUDA's headers (cuda_fp16.h) that belongs to this NVRTC: include/ next to the folder of the library,
// or pip's wheel of the runtime next to NVRTC's. Empty if there is none.
std::filesystem::path headers_of(const Toolchain& nvrtc);

}  // namespace ptxlat::assemble
