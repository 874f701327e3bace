// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "catalogue_here.h"
#include "fuzz.h"
#include "snippet/cuda_source.h"
#include "snippet/cuda_types.h"
#include "snippet/forms.h"
#include "snippet/inline_assembly.h"
#include "snippet/method.h"
#include "snippet/module.h"
#include "snippet/syntax.h"

namespace ptxlat::fuzz {

// What `measure` is given: PTX, a compiler's module, inline assembly, or CUDA C.
void snippet(std::string_view input) {
  static const auto catalogue = part_of_catalogue();
  static const snippet::Syntaxes syntaxes(catalogue);
  const std::string text(input);
  try {
    snippet::type_questions(snippet::read_cuda(text, "snippet", catalogue, {}));
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it is PTX
  }
  const auto ptx = snippet::ptx_of_inline_assembly(text).value_or(text);
  const auto understood =
      snippet::understand(snippet::read_ptx(ptx, "snippet", {}), "snippet", syntaxes, catalogue, {});
  snippet::plan(understood, catalogue);
}

}  // namespace ptxlat::fuzz
