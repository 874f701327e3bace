#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assemble/nvrtc.h"
#include "isa/form.h"

namespace ptxlat::cuda {

// What a form of CUDA C is for one compiler and target.
//   form     its spelling
//   text     PTX with holes for the operands; Form::text
//   module   what the text needs at module scope
//   problem  why there is no text: the compiler's own words
struct CudaFunction {
  std::string form;
  std::string text;
  std::vector<std::string> module;
  std::string problem;

  bool operator==(const CudaFunction&) const = default;
};

// All that an assembly line must know of the functions of CUDA C; plain text that can be stored and read back.
//   compiler  "nvrtc-12.4.127"; empty where none was asked
struct CudaFunctions {
  std::string compiler;
  std::vector<CudaFunction> functions;

  bool operator==(const CudaFunctions&) const = default;
};

using CudaCompiler =
    std::function<assemble::CompileOutcome(const std::string& program, const std::vector<std::string>& options)>;

// Compiles those of `forms` that are CUDA C, all that have a header and an option in common as one program, for
// compute_XX of the target. A function that an error names by its line is taken out, and the rest compiled again;
// where no error names one, the program is halved.
//   headers  folder of CUDA's headers; empty: what needs one has a problem
std::vector<CudaFunction> compile_functions(const std::vector<const isa::Form*>& forms, const isa::Target& target,
                                            const std::string& headers, const CudaCompiler& compiler);

// Makes the forms what the compiler made of them: ordinary forms, or unsupported with its words.
void apply_compiled(std::vector<isa::Form>& forms, const CudaFunctions& functions);

}  // namespace ptxlat::cuda
