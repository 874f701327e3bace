// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "line/line.h"
#include "ptx/skeleton.h"
#include "snippet/flow.h"
#include "snippet/forms.h"

namespace ptxlat::snippet {

// Some of a snippet's instructions as a form, and the operand of the form that a source is; empty without instructions.
struct Part {
  const SnippetForm* form = nullptr;
  std::string operand;
};

// From one source to one result.
//   source, result  as the user spells them; empty if there is none
//   whole  the whole snippet, whose consumer waits for the result; empty if the result does not depend on the source
//   alone  the instructions on the path and its literals, if the snippet has more; whatever they read from the rest is
//          ready
//   wider  these and the instructions that produce their inputs, with which the assembler may merge them; empty if that
//          is the whole snippet
//   merged the widest of these without the values in between that are also read or wanted: the assembler may merge a
//          product with each of two sums; empty if there are none
struct Pair {
  std::string source, result;
  Part whole = {}, alone = {}, wider = {}, merged = {};
};

// The forms of a snippet, and its pairs: each source with each result, in order.
struct Plan {
  std::vector<std::unique_ptr<SnippetForm>> forms;
  std::vector<Pair> pairs;
};
Plan plan(const Snippet& snippet, const isa::Catalogue& catalogue);

// A pair at a level.
struct PairAtLevel {
  const Pair* pair = nullptr;
  int level = 0;
};

// What befalls the whole snippet: then none of its pairs has a number.
bool befalls_the_whole(sass::Verdict verdict);

// Measures pairs. The audit proves that the machine code between a source and a result is the same as in the whole
// snippet: the part of its window that depends on the source and that the consumer needs. In the record, `operand` is
// the source and `input` the result; the issue cost is that of the whole snippet.
class SnippetMethod : public line::Method {
 public:
  SnippetMethod(const ptx::LoadedCatalogue& loaded, const Snippet& snippet, const std::vector<PairAtLevel>& pairs)
      : loaded_(loaded), snippet_(snippet), pairs_(pairs) {}
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  const ptx::LoadedCatalogue& loaded_;
  const Snippet& snippet_;
  const std::vector<PairAtLevel>& pairs_;
};

}  // namespace ptxlat::snippet
