// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cuda/functions.h"
#include "isa/form.h"
#include "snippet/flow.h"
#include "snippet/method.h"

namespace ptxlat::snippet {

// CUDA C as the user wrote it, "__sinf(x) * y" or "d = x * y; e = d + x;", with what it reads and assigns.
//   sources, results  with their types; those of results are empty until the compiler has been asked
//   remarks           which types are guesses
struct CudaText {
  std::string name;        // of the text, in messages
  std::string statements;  // "d = __sinf(x) * y;"
  std::string header;      // that its functions need
  std::vector<NamedRegister> sources, results;
  std::vector<std::string> remarks;
};

// A name that is read before it is assigned is a source; one that is assigned without a type before it is a result. The
// result of an expression is called d. A source has the type of the parameter that it is passed as, if the catalogue
// knows the function; if all known types are the same, the remaining sources are assumed to have it. Throws
// Error{usage} if a type must be given with --type, with those that the functions take.
CudaText read_cuda(const std::string& text, const std::string& name, const isa::Catalogue& catalogue,
                   const Marks& marks);

// Statements about the text's sources as a form of CUDA C.
isa::Form cuda_form(const CudaText& text, const std::vector<NamedRegister>& results, const std::string& statements);

// What the compiler's error may come from.
std::string assumptions_of(const CudaText& text);

// The text as a function of CUDA C.
isa::Form function_of(const CudaText& text);

// The PTX that the compiler generated for the function, read like any other snippet, if it is straight-line code on
// registers; empty if it branches, calls or has tables. Throws Error{usage} with the compiler's message if it does not
// compile.
std::optional<Snippet> understand_compiled(const CudaText& text, const cuda::CudaFunction& compiled,
                                           const Syntaxes& syntaxes, const isa::Catalogue& catalogue);

// For code that branches: its names and types, and each result from all sources together, because a window that
// branches does not show the path of a single source.
Snippet names_of(const CudaText& text);
Plan plan_together(const CudaText& text, const isa::Form& compiled);

}  // namespace ptxlat::snippet
