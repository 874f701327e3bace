// SPDX-License-Identifier: Apache-2.0
#include "infer/infer.h"

#include <fmt/format.h>

#include "base/error.h"
#include "infer/banks.h"
#include "infer/branch.h"
#include "infer/cache.h"
#include "infer/hierarchy.h"
#include "infer/l2.h"

namespace ptxlat::infer {

std::vector<results::Fact> infer(Machine& machine, std::uint64_t seed) {
  const auto& kind = machine.info().kind;
  if (kind == "cache") return infer_cache(machine, seed);
  if (kind == "tlb") return infer_tlb(machine, seed);
  if (kind == "constant") return infer_constant(machine, seed);
  if (kind == "banks") return infer_banks(machine, seed);
  if (kind == "l2") return infer_l2(machine, seed);
  if (kind == "branch") return infer_branch(machine, seed);
  throw Error(ExitCode::unknown_name, fmt::format("cannot infer machines of kind \"{}\"", kind),
              "Known kinds: banks, branch, cache, constant, l2, tlb.");
}

}  // namespace ptxlat::infer
