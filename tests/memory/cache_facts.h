// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "memory/infer.h"
#include "simulated_cache.h"

using Facts = std::map<std::string, ptxlat::results::Fact>;

inline Facts facts_by_name(ptxlat::memory::Machine& machine, std::uint64_t seed) {
  Facts facts;
  for (auto& fact : ptxlat::memory::infer(machine, seed))
    facts[fact.quantity.substr(fact.quantity.find('.') + 1)] = fact;
  return facts;
}

// "" with the reason if it is undetermined or missing.
inline std::string value_of(const Facts& facts, const std::string& quantity) {
  const auto found = facts.find(quantity);
  if (found == facts.end()) return "(no such fact)";
  return found->second.value.empty() ? "(" + found->second.how + ")" : found->second.value;
}
