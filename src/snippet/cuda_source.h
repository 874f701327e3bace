// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cuda/functions.h"
#include "isa/form.h"
#include "snippet/flow.h"
#include "snippet/method.h"

namespace ptxlat::snippet {

// CUDA C as the user wrote it, "__sinf(x) * y" or "d = x * y; e = d + x;", with what it reads and makes.
//   sources, results  with their types; those of results are empty until the compiler has been asked
//   remarks           which types are guesses
struct CudaText {
  std::string name;        // of the text, in messages
  std::string statements;  // "d = __sinf(x) * y;"
  std::string header;      // that its functions need
  std::vector<NamedRegister> sources, results;
  std::vector<std::string> remarks;
};

// A name that is read and not assigned before is a source, one that is assigned without a type in front is a result; of
// an expression the result is called d. A source has the type of the parameter that it is passed as, to a function that
// the catalogue knows; if all that are known have one type, the others are taken for that. Throws Error{usage} where a
// type must be given with --type.
CudaText read_cuda(const std::string& text, const std::string& name, const isa::Catalogue& catalogue,
                   const Marks& marks);

// Forms that ask the compiler for the types of results, one each in their order, and what it answered. Throws
// Error{usage} with its words where the text does not compile, and where a result has another type than a number's.
std::vector<isa::Form> type_questions(const CudaText& text);
void take_types(const std::vector<cuda::CudaFunction>& answers, CudaText& text);

// The text as a function of CUDA C.
isa::Form function_of(const CudaText& text);

// What the compiler made of the function, understood like any PTX, if it is straight-line code of registers; empty if
// it branches, calls or has tables. Throws Error{usage} with the compiler's words where it does not compile.
std::optional<Snippet> understand_compiled(const CudaText& text, const cuda::CudaFunction& compiled,
                                           const Syntaxes& syntaxes, const isa::Catalogue& catalogue);

// Of such code: its names and types; and each result from all sources together, because how long one takes cannot be
// told from a window that branches.
Snippet names_of(const CudaText& text);
Plan plan_together(const CudaText& text, const isa::Form& compiled);

}  // namespace ptxlat::snippet
