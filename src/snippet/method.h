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

// Some of a snippet's instructions, and the operand of theirs that a source is; no form where there are none.
struct Part {
  const SnippetForm* form = nullptr;
  std::string operand;
};

// From one source to one result.
//   source, result  as the user spells them; empty where there is none
//   whole  the whole snippet, whose consumer waits for the result; none where the result does not depend on the source
//   alone  the instructions between them, where the snippet has more; what these read of the others is ready
//   wider  these and those that make what they read, with which the assembler may merge them; where that is not all
struct Pair {
  std::string source, result;
  Part whole = {}, alone = {}, wider = {};
};

// The forms of a snippet and its pairs: a source with each result, in their order.
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

// Measures pairs. What stands between a source and a result is proven to be the machine code that the whole snippet
// has there: the part of its window that depends on the source and that the consumer needs. Its record's operand is
// the source and its input the result; the issue cost is the whole snippet's.
class SnippetMethod : public line::Method {
 public:
  SnippetMethod(const ptx::LoadedCatalogue& loaded, const std::vector<PairAtLevel>& pairs)
      : loaded_(loaded), pairs_(pairs) {}
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  const ptx::LoadedCatalogue& loaded_;
  const std::vector<PairAtLevel>& pairs_;
};

}  // namespace ptxlat::snippet
