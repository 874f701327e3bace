// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/form.h"
#include "snippet/flow.h"
#include "snippet/method.h"
#include "snippet/text.h"

namespace ptxlat::snippet {

// How the user wants a snippet to be measured. What is empty or false is left as it is usually.
//   consumer       the catalogue's name of what waits for the result
//   input          the class of input values of the instructions that have it
//   same_lanes     all lanes have the same values, which the compiler does not know
//   prefers_chain  the number is that of a chain, where there is one
struct Choices {
  std::string consumer, input;
  bool same_lanes = false;
  bool prefers_chain = false;
  bool loads_from_l2 = false;  // plain loads of global memory pass L1 by: the cache operator .cg
};

// Gives plain loads their cache operator.
void choose_cache(Text& text, const Choices& choices);

// Chooses the values, before the snippet is planned: its instructions are those of the catalogue. Error{unknown_name}
// if none of them has the class of inputs.
void choose_values(isa::Catalogue& catalogue, const Snippet& snippet, const Choices& choices);

// Chooses what is timed. Error{unknown_name} if there is no such consumer, or if it does not take a result of the plan.
void choose_witness(Plan& plan, const isa::Catalogue& catalogue, const Choices& choices);

// What the numbers hold for, if the snippet accesses memory: "loads hit L1; the lanes' addresses are side by side".
std::string conditions_of(const Snippet& snippet, const Choices& choices);

}  // namespace ptxlat::snippet
