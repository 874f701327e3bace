// SPDX-License-Identifier: Apache-2.0
#include "series/facts.h"

#include <fmt/format.h>

namespace ptxlat::series {

using results::Fact;
using results::FactVerdict;

Fact inferred(const std::string& quantity, const std::string& value, const std::string& unit, const std::string& how,
              const std::string& reason) {
  Fact fact;
  fact.quantity = quantity;
  fact.value = value;
  fact.unit = unit;
  fact.scope = "kind";
  fact.how = value.empty() ? reason : how;
  fact.verdict = value.empty() ? FactVerdict::undetermined : FactVerdict::inferred;
  return fact;
}

Fact inferred(const std::string& quantity, std::uint64_t value, const std::string& unit, const std::string& how,
              const std::string& reason) {
  Fact fact = inferred(quantity, value == 0 ? "" : fmt::format("{}", value), unit, how, reason);
  if (value != 0) fact.low = fact.high = static_cast<double>(value);
  return fact;
}

Fact measured(const std::string& quantity, double value, double spread, const std::string& unit,
              const std::string& how) {
  Fact fact = inferred(quantity, fmt::format("{:.6g}", value), unit, how, "");
  fact.verdict = FactVerdict::measured;
  fact.low = value - spread;
  fact.high = value + spread;
  return fact;
}

}  // namespace ptxlat::series
