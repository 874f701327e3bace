// SPDX-License-Identifier: Apache-2.0
#include "memory/infer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/named_values.h"
#include "memory/banks.h"
#include "memory/branch.h"
#include "memory/cache.h"
#include "memory/hierarchy.h"
#include "memory/l2.h"

namespace ptxlat::memory {

namespace {

using InferFacts = std::vector<results::Fact> (*)(Machine& machine, std::uint64_t seed);

constexpr NamedValues<InferFacts, 6> kinds = {{
    {infer_banks, "banks"},
    {infer_branch, "branch"},
    {infer_cache, "cache"},
    {infer_constant, "constant"},
    {infer_l2, "l2"},
    {infer_tlb, "tlb"},
}};

}  // namespace

std::vector<results::Fact> infer(Machine& machine, std::uint64_t seed) {
  const auto& kind = machine.info().kind;
  if (const auto infer_facts = value_in(kinds, kind)) return (*infer_facts)(machine, seed);
  throw Error(ExitCode::unknown_name, fmt::format("cannot infer machines of kind \"{}\"", kind),
              fmt::format("Known kinds: {}.", fmt::join(names_of(kinds), ", ")));
}

}  // namespace ptxlat::memory
