// SPDX-License-Identifier: Apache-2.0
#include "latency/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "latency/samples.h"
#include "sass/opcodes.h"

namespace ptxlat::latency {

namespace {

// How often each operation occurs, whichever pipe ptxas chose for it.
std::map<std::string, int> operation_counts(const std::vector<std::string>& opcodes) {
  std::map<std::string, int> counts;
  for (const auto& opcode : opcodes) ++counts[sass::operation_of(opcode)];
  return counts;
}

std::optional<double> difference(const InnerOf& inner_of, Role more, Role less) {
  const auto a = inner_of(more), b = inner_of(less);
  return a && b ? std::optional(*a - *b) : std::nullopt;
}

}  // namespace

std::optional<double> scheduled(const sass::StaticSchedule& schedule) {
  return schedule.cycles > 0 ? std::optional<double>(schedule.cycles) : std::nullopt;
}

std::optional<double> Numbers::elapsed(Role role) const {
  const auto* assembled = kernel(role);
  if (assembled == nullptr || !assembled->window) return std::nullopt;
  if (source == Source::schedule) return scheduled(assembled->schedule);
  const auto& made = *trial(role);
  if (!made.outcome || made.outcome->status != ptx::LaunchStatus::ok) return std::nullopt;
  return elapsed_of(elapsed_cycles(made.outcome->readout), made.launch.uses_memory);
}

// Elapsed cycles minus the edges: the stall counts of the first clock read and the last instruction, which differ from
// kernel to kernel (method.md, trap 2).
std::optional<double> Numbers::inner(Role role) const {
  const auto cycles = elapsed(role);
  if (!cycles) return std::nullopt;
  return *cycles - edges(role);
}

// If the second clock waits for the last instruction itself (a fence), that one's stall decides nothing: it is no edge,
// neither in this window nor in that without the instruction.
int Numbers::edges(Role role) const {
  const auto& schedule = kernel(role)->schedule;
  const auto* with = kernel(Role::differential);
  const bool is_difference = role == Role::differential || role == Role::differential_base;
  const bool has_last = !is_difference || with == nullptr || !with->schedule.waits_for_last;
  return has_last ? schedule.edge_cycles : schedule.edge_cycles - schedule.last_edge_cycles;
}

std::optional<double> Numbers::value(Headline witness, const InnerOf& inner_of) const {
  if (witness == Headline::none) return std::nullopt;
  if (witness == Headline::differential) return difference(inner_of, Role::differential, Role::differential_base);
  const auto steps = difference(inner_of, Role::chain_twice, Role::chain);
  if (!steps) return std::nullopt;
  if (!chain_has_bridge()) return *steps / experiment.steps;
  const auto bridge = difference(inner_of, Role::bridge, Role::bracket);
  return bridge ? std::optional(*steps / experiment.steps - *bridge) : std::nullopt;
}

bool Numbers::is_proven(Headline witness) const {
  if (witness == Headline::differential) return audits[Role::differential].is_proven();
  if (witness == Headline::none || !audits[Role::chain].is_proven()) return false;
  // Without knowing the instruction alone, a bridge cannot be told from it.
  if (trials[Role::bridge] && !audits[Role::differential].is_proven()) return false;
  return !chain_has_bridge() || audits[Role::bridge].is_proven();
}

std::optional<double> Numbers::differential() const {
  if (!is_proven(Headline::differential)) return std::nullopt;
  const auto more = value(Headline::differential, [&](Role role) { return inner(role); });
  // Negative: adding the instruction changed the schedule before it. Not a latency.
  if (!more || *more < 0) return std::nullopt;
  return leaves_out_beside && path ? *more - path->cycles_beside : *more;
}

bool Numbers::chain_is_path() const {
  return path && operation_counts(audits[Role::chain].sass) == operation_counts(path->opcodes);
}

bool Numbers::chain_has_same_opcodes() const {
  std::map<std::string, int> counts;
  for (const auto& opcode : sass::opcodes(*kernel(Role::chain_twice)->window)) ++counts[opcode];
  for (const auto& opcode : sass::opcodes(*kernel(Role::chain)->window)) --counts[opcode];
  for (const auto& opcode : audits[Role::differential].sass) counts[opcode] -= experiment.steps;
  return std::all_of(counts.begin(), counts.end(), [](const auto& entry) { return entry.second == 0; });
}

bool Numbers::chain_has_bridge() const {
  return trials[Role::bridge] && audits[Role::chain].sass.size() > audits[Role::differential].sass.size();
}

std::optional<double> Numbers::chain() const {
  if (!is_proven(Headline::chain)) return std::nullopt;
  return value(Headline::chain, [&](Role role) { return inner(role); });
}

int Numbers::moves_of_copies() const {
  if (kernel(Role::stream) == nullptr || kernel(Role::stream_twice) == nullptr) return 0;
  // Without optimisation, every value is moved.
  const auto& longer = *kernel(Role::stream_twice)->window;
  const auto& own = audits[Role::differential].sass;
  if (sass::is_unoptimised(longer) || !audits[Role::differential].is_proven() ||
      std::any_of(own.begin(), own.end(), [](const auto& name) { return sass::canonical_opcode(name) == "MOV"; }))
    return 0;
  return sass::moves_in(longer) - sass::moves_in(*kernel(Role::stream)->window);
}

std::optional<int> Numbers::spacing_of_copies() const {
  const auto& own = audits[Role::differential].sass;
  if (source != Source::schedule || own.size() != 1 || moves_of_copies() <= 0) return std::nullopt;
  return sass::spacing_of(own.front(), *kernel(Role::stream_twice)->window);
}

std::optional<double> Numbers::stream_difference() const {
  return difference([&](Role role) { return inner(role); }, Role::stream_twice, Role::stream);
}

std::optional<double> Numbers::issue() const {
  if (experiment.copies == 0 || !audits[Role::stream].is_proven()) return std::nullopt;
  if (const auto spacing = spacing_of_copies()) return *spacing;
  auto more = stream_difference();
  if (more) *more /= experiment.copies;
  // A warp issues one instruction per cycle, except for Maxwell's pairs. A smaller number is not the copies' time:
  // loops that contend for one address can take any time, and a copy that is a move may be left out.
  const double least = source == Source::measured ? 1 : 0.5;
  return more && *more < least ? std::nullopt : more;
}

std::string Numbers::why_no_issue() const {
  if (experiment.copies == 0 || !trials[Role::stream] || issue()) return {};
  const auto& audit = audits[Role::stream];
  if (!audit.is_proven()) return fmt::format("{}, {}", to_string(audit.verdict), audit.reason);
  return stream_difference() ? "twice the copies take no longer" : "the launches of the stream have no value in common";
}

std::optional<double> Numbers::overhead() const {
  return audits[Role::overhead].is_proven() ? elapsed(Role::overhead) : std::nullopt;
}

std::optional<double> Numbers::bracket() const {
  const auto with = elapsed(Role::bracket), without = overhead();
  if (!audits[Role::bracket].is_proven() || !with || !without) return std::nullopt;
  return *with - *without;
}

// Optimisation for throughput may give a chain different instructions from a single one (HFMA2.MMA for HADD2): then it
// is a different experiment. So is a chain of code that branches on its values: only its first step has values of the
// input class, and the reciprocal of a denormal is not a denormal. So is one with a bridge, which may cost more or less
// in a step than in its own window: the stall counts around it differ (method.md, trap 28).
Headline headline_of(const Numbers& numbers) {
  const auto differential = numbers.differential(), chain = numbers.chain();
  if (!differential && !chain) return Headline::none;
  if (!differential) return Headline::chain;
  if (!chain) return Headline::differential;
  if (numbers.experiment.prefers_chain) return Headline::chain;
  if (numbers.kernel(Role::chain)->schedule.branches) return Headline::differential;
  if (numbers.experiment.crosses && !numbers.chain_has_same_opcodes()) return Headline::differential;
  if (numbers.chain_is_path()) return Headline::chain;
  // Each step of the chain has what is beside the path once more. By the schedule, an instruction of the path may wait
  // for it in the differential, so that both are upper bounds.
  if (numbers.leaves_something_out())
    return numbers.source == Source::schedule && *chain < *differential ? Headline::chain : Headline::differential;
  const auto& audits = numbers.audits;
  const bool same_code =
      operation_counts(audits[Role::chain].sass) == operation_counts(audits[Role::differential].sass);
  return same_code ? Headline::chain : Headline::differential;
}

bool took_its_schedule_beside(const Numbers& measured) {
  if (!measured.path || measured.path->is_alone()) return false;
  const auto is_on_time = [&](Role role) {
    const auto* kernel = measured.kernel(role);
    const auto elapsed = measured.elapsed(role);
    return kernel != nullptr && elapsed && elapsed == scheduled(kernel->schedule);
  };
  if (is_on_time(Role::differential) && is_on_time(Role::differential_base)) return true;
  const auto& before = measured.path->before;
  return measured.path->among.empty() && std::all_of(before.begin(), before.end(), [](const auto& opcode) {
           return sass::canonical_opcode(opcode) == "MOV";
         });
}

std::vector<std::string> beside_in(Headline headline, const Numbers& numbers) {
  if (!numbers.path || headline == Headline::none || (headline == Headline::chain && numbers.chain_is_path()))
    return {};
  const auto& path = *numbers.path;
  const bool leaves_out = numbers.leaves_out_beside && headline == Headline::differential;
  if (leaves_out && path.is_separable) return {};
  auto names = leaves_out ? std::vector<std::string>{} : path.before;
  names.insert(names.end(), path.among.begin(), path.among.end());
  return names;
}

std::vector<Role> roles_behind(Headline headline, const Numbers& numbers) {
  if (headline == Headline::none) return {};
  if (headline == Headline::differential) return {Role::differential, Role::differential_base};
  // The code that turns a result into a source operand is measured as bridge minus bracket, and subtracted from each
  // step.
  if (numbers.chain_has_bridge()) return {Role::chain, Role::chain_twice, Role::bridge, Role::bracket};
  return {Role::chain, Role::chain_twice};
}

}  // namespace ptxlat::latency
