// SPDX-License-Identifier: Apache-2.0
#include "latency/expected.h"

#include <algorithm>

namespace ptxlat::latency {

namespace {

bool are_held(const std::vector<std::string>& opcodes, const sass::Arrivals& arrivals) {
  return std::any_of(opcodes.begin(), opcodes.end(),
                     [&](const auto& opcode) { return sass::arrival_of(opcode, arrivals) != nullptr; });
}

}  // namespace

std::optional<double> expected_headline(Headline headline, const Numbers& schedule, const sass::Arrivals& arrivals) {
  const auto inner = [&](Role role) -> std::optional<double> {
    const auto* kernel = schedule.kernel(role);
    if (kernel == nullptr || !kernel->window) return std::nullopt;
    const auto cycles = sass::expected_cycles(*kernel->window, arrivals);
    return cycles ? std::optional(*cycles - schedule.edges(role)) : std::nullopt;
  };
  const auto scheduled = schedule.value(headline, [&](Role role) { return schedule.inner(role); });
  auto expected = schedule.value(headline, inner);
  if (!expected || !scheduled || *expected == *scheduled) return std::nullopt;
  if (headline != Headline::differential || !schedule.leaves_out_beside || !schedule.path) return expected;
  // What is beside the path is left out by its stall counts, which do not say how long it takes if it is held, too.
  const auto& path = *schedule.path;
  if (are_held(path.before, arrivals) || are_held(path.among, arrivals)) return std::nullopt;
  return *expected - path.cycles_beside;
}

bool has_interlock(Headline headline, const Numbers& schedule, const sass::Arrivals& arrivals) {
  const auto roles = roles_behind(headline, schedule);
  return std::any_of(roles.begin(), roles.end(), [&](Role role) {
    const auto* kernel = schedule.kernel(role);
    if (kernel == nullptr || !kernel->window) return false;
    const auto& code = kernel->window->instructions;
    return std::any_of(code.begin(), code.end(), [&](const sass::Instruction& one) {
      return sass::is_interlocked(sass::opcode_of(one.text), arrivals);
    });
  });
}

}  // namespace ptxlat::latency
