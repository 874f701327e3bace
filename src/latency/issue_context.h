// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "latency/numbers.h"

namespace ptxlat::latency {

// Something that a reader of an issue cost must know: a flag for programs and words for people.
struct IssueRemark {
  const char* flag;
  std::string words;
};

// What the machine code of the streams proves about their issue cost, if there is one: that copies alternate between
// opcodes, and that the register banks delay them.
//   leading    its issue cost is the record's
//   schedule   the same from stall counts
//   sass       what the instruction became
std::vector<IssueRemark> issue_context(const Numbers& leading, const Numbers& schedule,
                                       const std::vector<std::string>& sass);

}  // namespace ptxlat::latency
