// SPDX-License-Identifier: Apache-2.0
#include "loops/program_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "latency/experiment.h"
#include "line/window_record.h"
#include "loops/loop.h"
#include "loops/patch.h"
#include "loops/saturated_kernel.h"
#include "loops/stream_loop.h"
#include "sass/audit.h"
#include "sass/opcodes.h"

namespace ptxlat::loops {

namespace {

// Eight chains in each of a scheduler's four warps hide any fixed latency. Longer code has fewer, and more warps.
constexpr int threads_of_many_chains = 512, threads_of_few_chains = 1024;
constexpr int most_chains = 8;

// Chains side by side and steps of the longer loop; none if two steps do not fit.
struct ProgramShape {
  int chains = 0, steps = 0;
};
ProgramShape shape_of(int instructions) {
  constexpr int most_instructions = 224;  // 3.6 KB, of an innermost cache of 4 KB
  const int copies = most_instructions / std::max(1, instructions);
  for (int chains = most_chains; chains >= 1; chains /= 2) {
    if (copies >= 2 * chains) return {chains, copies / chains / 2 * 2};
  }
  return {};
}

int threads_of(int chains) { return chains == most_chains ? threads_of_many_chains : threads_of_few_chains; }

using Counts = std::map<std::string, int>;

bool is_move(const std::string& opcode) { return sass::has(sass::canonical_opcode(opcode), sass::Trait::moves); }

// Operations, whatever the pipe, without moves.
Counts work_of(const std::vector<std::string>& opcodes) {
  Counts work;
  for (const auto& opcode : opcodes) {
    if (!is_move(opcode)) ++work[sass::operation_of(opcode)];
  }
  return work;
}

}  // namespace

std::vector<ptx::Trial> program_loop_trials(const ptx::LoadedCatalogue& loaded, const isa::Form& form,
                                            int instructions) {
  std::vector<ptx::Trial> trials;
  const auto shape = shape_of(instructions);
  if (shape.chains == 0) return trials;
  for (const auto& variant : latency::chains_of_values(loaded, form)) {
    for (const int steps : {shape.steps / 2, shape.steps})
      trials.push_back(latency::expand_chain_loop(loaded, variant, {shape.chains, steps, default_rounds, true},
                                                  threads_of(shape.chains)));
  }
  return trials;
}

std::vector<ChainLoops> add_program_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Form& form,
                                          int instructions, const std::string& label) {
  std::vector<ChainLoops> loops;
  const auto [chains, steps] = shape_of(instructions);
  const auto trials = program_loop_trials(loaded, form, instructions);
  for (std::size_t i = 0; i + 1 < trials.size(); i += 2)
    loops.push_back(
        {bench.add(trials[i], label), bench.add(trials[i + 1], label), chains, chains * (steps / 2), chains * steps});
  return loops;
}

namespace {

// What a window has more of than another one: work by operation, with the opcodes that it became, and moves by opcode.
//   is_other  it has what takes a time that values decide, or the stack
struct More {
  Counts work, moves;
  std::map<std::string, Counts> names;
  bool is_other = false;
};
More more_work(const sass::Window& longer, const sass::Window& shorter, const Counts& wanted) {
  More more;
  for (const auto& [opcode, count] : more_opcodes(longer, shorter)) {
    const bool leaves = sass::has(opcode, sass::Trait::leaves);
    if (sass::has(opcode, sass::Trait::bookkeeping) && !leaves) continue;
    more.is_other = more.is_other || leaves || sass::uses_stack(opcode);
    const auto operation = sass::operation_of(opcode);
    const bool is_literal =
        !wanted.empty() && !wanted.contains(operation) && sass::has(opcode, sass::Trait::makes_constant);
    if (is_move(opcode) || is_literal) {
      if (count > 0) more.moves[opcode] = count;
      continue;
    }
    more.work[operation] += count;
    if (count > 0) more.names[operation][opcode] += count;
  }
  std::erase_if(more.work, [](const auto& entry) { return entry.second == 0; });
  return more;
}

// Where a loop begins and ends, ptxas may need an instruction more or less.
constexpr int one_by_chance = 1;
constexpr double few_by_chance = 0.02;

// Whether the work is that of so many steps.
bool is_work_of(const Counts& found, const Counts& step, int steps) {
  return found.size() == step.size() && std::all_of(step.begin(), step.end(), [&](const auto& entry) {
           const auto [operation, count] = entry;
           const auto more = found.find(operation);
           const double by_chance = std::max<double>(one_by_chance, few_by_chance * count * steps);
           return more != found.end() && std::abs(more->second - count * steps) <= by_chance;
         });
}

// Long code has a sum where it had a move, or makes an absolute value once that it had made twice: nearly all work, and
// what nothing can stand in for.
bool is_nearly_work_of(const std::vector<std::string>& code, const Counts& step) {
  constexpr int long_code = 8;
  constexpr double nearly = 0.9;
  std::vector<std::string> alone;
  for (const auto& [operation, count] : step) alone.insert(alone.end(), static_cast<std::size_t>(count), operation);
  const auto size = static_cast<double>(alone.size());
  const auto work =
      static_cast<double>(std::count_if(code.begin(), code.end(), [](const auto& o) { return !is_move(o); }));
  return alone.size() >= long_code && work >= nearly * size && work <= size / nearly && has_irreplaceable(code, alone);
}

// The names that one operation's further steps have, `count` in all, each so often.
void put_turns(const Counts& names, int count, const sass::Window& longer, ProgramCode& code) {
  const auto all = sass::opcodes(longer);
  const auto in_longer = [&](const std::string& name) { return std::count(all.begin(), all.end(), name); };
  double in_all = 0;
  for (const auto& [name, of_name] : names) in_all += static_cast<double>(in_longer(name));
  constexpr double as_large = 0.05;
  for (const auto& [name, of_name] : names) {
    code.in_turn.push_back(name);
    const double share = static_cast<double>(of_name) / count;
    if (std::abs(share - static_cast<double>(in_longer(name)) / in_all) > as_large) code.is_even = false;
  }
}

}  // namespace

std::vector<std::string> work_of_copy(const sass::Window& stream, const sass::Window& stream_twice, int copies) {
  std::vector<std::string> work;
  for (const auto& [operation, count] : more_work(stream_twice, stream, {}).work) {
    const int each = static_cast<int>(std::lround(static_cast<double>(count) / copies));
    if (count < 0 || std::abs(count - each * copies) > one_by_chance) return {};
    work.insert(work.end(), static_cast<std::size_t>(each), operation);
  }
  return work;
}

std::optional<ProgramCode> code_of_program(const sass::Window& shorter, const sass::Window& longer, int more,
                                           const std::vector<std::string>& alone) {
  const auto wanted = work_of(alone);
  if (wanted.empty()) return std::nullopt;
  const auto found = more_work(longer, shorter, wanted);
  if (found.is_other) return std::nullopt;
  ProgramCode code;
  if (alone.size() == 1 && found.work.size() == 1 && found.names.size() == 1) {
    const auto& names = found.names.begin()->second;
    if (names.size() > 1) put_turns(names, found.work.begin()->second, longer, code);
  }
  Counts of_a_step;
  const auto each = [&](int count) { return static_cast<int>(std::lround(static_cast<double>(count) / more)); };
  for (const auto& [opcode, count] : found.moves) of_a_step[opcode] = count / more;
  for (const auto& [operation, names] : found.names) {
    const auto usual =
        std::max_element(names.begin(), names.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
    of_a_step[usual->first] = each(found.work.contains(operation) ? found.work.at(operation) : 0);
  }
  for (const auto& opcode : sass::opcodes(longer)) {
    code.opcodes.insert(code.opcodes.end(), static_cast<std::size_t>(std::max(0, of_a_step[opcode])), opcode);
    of_a_step.erase(opcode);
  }
  if (!is_work_of(found.work, wanted, more) && !is_nearly_work_of(code.opcodes, wanted)) return std::nullopt;
  return code;
}

std::optional<ProgramLoop> find_program_loop(const line::Bench& bench, const std::vector<ChainLoops>& candidates,
                                             const std::vector<std::string>& alone) {
  for (const auto& loops : candidates) {
    const auto& shorter = bench.batch().kernel_of(loops.shorter).window;
    const auto& longer = bench.batch().kernel_of(loops.longer).window;
    if (!shorter || !longer) continue;
    if (auto code = code_of_program(*shorter, *longer, loops.copies_of_longer - loops.copies_of_shorter, alone))
      return ProgramLoop{loops, std::move(*code)};
  }
  return std::nullopt;
}

namespace {

void measure(line::Bench& bench, const ProgramLoop& loop, results::Record& record) {
  const auto& loops = loop.loops;
  bench.begin_cell();
  const auto warps = warps_up_to(threads_of(loops.chains));
  const TimeLoops time{timer_of(bench, loops.shorter), timer_of(bench, loops.longer)};
  auto times = time_both(time, warps);
  record.gpu = bench.gpu();
  if (times.shorter.empty()) return results::give_up(record, times.verdict, times.message);
  // If the further steps are other code than the rest, a copy takes its share of the longer loop.
  const TimeOfCopy slope = [&](const Timing& timing) {
    return cycles_of_copy(timing, loops.copies_of_shorter, loops.copies_of_longer);
  };
  const auto time_of_copy =
      loop.code.is_even ? slope : time_of_stream_copy(loops.copies_of_shorter, warps, times, 0, nullptr);
  put_settled_rates(record, warps, time, std::move(times), time_of_copy);
}

}  // namespace

void measure_program_loop(line::Bench& bench, const ProgramLoop& loop, MeasuredCodes& measured,
                          results::Record& record) {
  const auto& loops = loop.loops;
  results::prove(record, loop.code.opcodes);
  if (!loop.code.in_turn.empty()) record.sass = loop.code.in_turn;
  record.set_flag(results::flag::takes_turns, !loop.code.in_turn.empty());
  const auto role = fmt::format("PTX loop of {} × {}", loops.chains, loops.copies_of_shorter / loops.chains);
  record.windows = {line::window_record(role, bench.batch().kernel_of(loops.shorter), {})};
  record.code = code_of_trials(bench.batch(), {loops.shorter, loops.longer});
  if (bench.measures()) measured.put(record, [&] { measure(bench, loop, record); });
}

}  // namespace ptxlat::loops
