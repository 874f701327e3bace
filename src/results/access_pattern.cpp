// SPDX-License-Identifier: Apache-2.0
#include "results/access_pattern.h"

#include "base/named_values.h"

namespace ptxlat::results {

namespace {

constexpr NamedValues<AccessPattern, 4> pattern_names = {{{AccessPattern::own_lines, "own lines"},
                                                          {AccessPattern::scattered, "scattered"},
                                                          {AccessPattern::one_line, "one line"},
                                                          {AccessPattern::one_address, "one address"}}};

}  // namespace

const char* to_string(AccessPattern pattern) { return name_in(pattern_names, pattern); }

std::optional<AccessPattern> access_pattern_of(const Record& record) {
  return record.kind == RecordKind::throughput ? value_in(pattern_names, record.operand) : std::nullopt;
}

}  // namespace ptxlat::results
