#pragma once

#include <string>
#include <vector>

#include "isa/form.h"

namespace ptxlat {

// Which forms a user asked for. A pattern is a glob over the whole of `Form::ptx` ("add.*", "cvt.*.f32.*",
// "fma.rn.f32"), or a regular expression between slashes ("/^(add|sub)\\.u/"), found anywhere in it. Several patterns
// add up; none selects everything. A pattern that is a plain opcode ("add") selects that opcode's forms. A pattern that
// selects nothing is an Error{ExitCode::unknown_name} with the nearest spellings in its advice.
std::vector<const Form*> select_forms(const Catalogue& catalogue, const std::vector<std::string>& patterns);

// The names nearest to `wanted` by edit distance, best first, at most `limit`; none that is far off.
std::vector<std::string> nearest_names(const std::string& wanted, const std::vector<std::string>& names,
                                       std::size_t limit = 3);

}  // namespace ptxlat
