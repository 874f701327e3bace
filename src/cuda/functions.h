// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assemble/nvrtc.h"
#include "isa/form.h"

namespace ptxlat::cuda {

// A CUDA C form as compiled for one compiler and target.
//   form     its spelling
//   text     PTX with holes for the operands; Form::text
//   module   what the text needs at module scope
//   problem  why there is no text: the compiler's message
//   compiler_failed  the problem is the compiler's (assemble/nvrtc.h): another attempt may have a text
struct CudaFunction {
  std::string form;
  std::string text;
  std::vector<std::string> module;
  std::string problem;
  bool compiler_failed = false;

  bool operator==(const CudaFunction&) const = default;
};

// Everything that an assembly line must know about the CUDA C functions; plain text that can be stored and read back.
//   compiler  "nvrtc-12.4.127"; empty if none was used
struct CudaFunctions {
  std::string compiler;
  std::vector<CudaFunction> functions;

  bool operator==(const CudaFunctions&) const = default;
};

// For code that is like what nvcc makes of the same source, with functions that nothing calls.
std::vector<std::string> compiler_options(const isa::Target& target);

using CudaCompiler =
    std::function<assemble::CompileOutcome(const std::string& program, const std::vector<std::string>& options)>;

// Compiles those of `forms` that are CUDA C for compute_XX of the target; all with the same header and option are one
// program. Functions named in an error are dropped and the rest recompiled; if no error names one, the program is
// bisected.
//   headers  folder of CUDA's headers; if empty, functions that need a header have a problem
std::vector<CudaFunction> compile_functions(const std::vector<const isa::Form*>& forms, const isa::Target& target,
                                            const std::string& headers, const CudaCompiler& compiler);

// Applies the compiler's results to the forms: they become ordinary forms, or unsupported with its message.
void apply_compiled(std::vector<isa::Form>& forms, const CudaFunctions& functions);

}  // namespace ptxlat::cuda
