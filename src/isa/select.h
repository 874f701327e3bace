// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/form.h"

namespace ptxlat::isa {

// Which forms a user asked for. A pattern is a glob over the whole of `Form::ptx` ("add.*", "cvt.*.f32.*",
// "fma.rn.f32"), or a regular expression between slashes ("/^(add|sub)\\.u/"), found anywhere in it. Several patterns
// add up; none selects everything. A pattern that is a plain opcode ("add") selects that opcode's forms. A pattern that
// selects nothing is an Error{ExitCode::unknown_name} with the nearest spellings in its advice.
std::vector<const Form*> select_forms(const Catalogue& catalogue, const std::vector<std::string>& patterns);

// Narrows a choice of forms.
//   core_only    only core forms; CUDA C functions only if `chapters` asks for theirs
//   chapters     glob or part of a chapter's name; any of them
//   types        "f32": one of the form's qualifiers, or its operands' types if it is CUDA C; any of them
//   target       it can be assembled for this target
//   ptx_version  {8, 6}: this PTX version has it
struct FormFilter {
  bool core_only = false;
  std::vector<std::string> chapters;
  std::vector<std::string> types;
  std::optional<Target> target;
  std::optional<std::pair<int, int>> ptx_version;
};
std::vector<const Form*> filtered(const Catalogue& catalogue, const std::vector<const Form*>& forms,
                                  const FormFilter& filter);

}  // namespace ptxlat::isa
