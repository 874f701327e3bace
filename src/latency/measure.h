// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "latency/numbers.h"
#include "results/metric.h"

namespace ptxlat::latency {

// Which time a headline is, and what waited: the name of the catalogue's consumer, results::itself, or the PTX opcode
// of the completion. Empty if there is no headline, or nothing waits.
struct Observed {
  std::optional<results::Measure> measure;
  std::string consumer;
};
Observed observed(const isa::Variant& variant, Headline headline, const Numbers& numbers);

// Something that a reader of an issue cost must know: a flag for programs and words for people, if it has its own.
struct IssueRemark {
  const char* flag;
  std::string words;
};

// Remarks on the streams' issue cost, if there is one, that their machine code proves: copies alternate between
// opcodes, the register banks delay them, the schedule does not say how long they take, or moves are among them.
//   leading    its issue cost is the record's
//   schedule   the same from stall counts
//   sass       what the instruction became
std::vector<IssueRemark> issue_context(const Numbers& leading, const Numbers& schedule,
                                       const std::vector<std::string>& sass);

}  // namespace ptxlat::latency
