// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "isa/form.h"
#include "snippet/flow.h"

namespace ptxlat::snippet {

// Some instructions of a snippet as an ordinary form: what the line measures.
//   operand_of  value → name of the form's operand
//   bytes       that its loads and stores move for a lane, all together
struct SnippetForm {
  isa::Form form;
  std::map<std::size_t, std::string> operand_of;
  int bytes = 0;
};

// The instructions, in order, as one form whose first result is `result`. What they read and do not make are its
// sources; what they make and others of the snippet need are further results, which are kept and not waited for.
//   An instruction that is the whole snippet, with an operand of its own in each place, becomes the catalogue's form
//   with the user's literals: it is measured exactly as in a table.
SnippetForm form_of(const Snippet& snippet, const std::vector<std::size_t>& instructions, std::size_t result,
                    const isa::Catalogue& catalogue);

// The one instruction of a snippet that has no result (a store): the catalogue's form.
SnippetForm form_without_result(const Snippet& snippet);

}  // namespace ptxlat::snippet
