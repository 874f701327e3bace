// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/form.h"
#include "snippet/flow.h"

namespace ptxlat::snippet {

// Some instructions of a snippet as an ordinary form, which the line can measure.
//   operand_of  value → name of the form's operand
//   bytes       that all of its loads and stores move per lane
struct SnippetForm {
  isa::Form form;
  std::map<std::size_t, std::string> operand_of;
  int bytes = 0;
};

// The instructions, in order, as one form whose first result is `result`. Its sources are the values that they read but
// do not make. Values that they make and the rest of the snippet needs are further results, which are stored but not
// waited for. If the whole snippet is one instruction with a different register for each operand, it becomes the
// catalogue's form with the user's literals, and is measured exactly as in a table.
//   keeps_values  false: without further results
SnippetForm form_of(const Snippet& snippet, const std::vector<std::size_t>& instructions, std::size_t result,
                    const isa::Catalogue& catalogue, bool keeps_values = true);

// The catalogue's form for a snippet of one instruction without a result (a store).
SnippetForm form_without_result(const Snippet& snippet);

}  // namespace ptxlat::snippet
