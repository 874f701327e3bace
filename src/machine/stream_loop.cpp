// SPDX-License-Identifier: Apache-2.0
#include "machine/stream_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "line/window_record.h"
#include "machine/curves.h"
#include "machine/loop.h"
#include "machine/saturated_kernel.h"
#include "sass/opcodes.h"

namespace ptxlat::machine {

namespace {

using latency::Role;

constexpr int most_copies = 4;

// Registers are scarce: 128 for each of 512 threads, 255 for each of 256.
int threads_of(const isa::Form& form) {
  constexpr int many = 512, few = 256, most_bits_of_many = 32 * 8;
  int bits = 0;
  for (const auto& operand : form.operands) bits += std::max(1, operand.count) * isa::register_bits(operand.type);
  return bits <= most_bits_of_many ? many : few;
}

std::map<std::string, int> counted(const std::vector<std::string>& opcodes) {
  std::map<std::string, int> count;
  for (const auto& opcode : opcodes) ++count[opcode];
  return count;
}

std::vector<std::string> opcodes_in(const line::Bench& bench, std::size_t trial) {
  auto opcodes = sass::opcodes(*bench.batch().kernel_of(trial).window);
  std::erase(opcodes, "NOP");
  return opcodes;
}

// The opcodes that a window has more than the other one, divided by a number of copies, in its order.
std::vector<std::string> more_of_a_copy(const std::vector<std::string>& longer, const std::vector<std::string>& shorter,
                                        int copies) {
  auto more = counted(longer);
  for (const auto& [opcode, count] : counted(shorter)) more[opcode] -= count;
  std::vector<std::string> of_a_copy;
  for (const auto& opcode : longer) {
    if (more[opcode] < copies) continue;
    more[opcode] -= copies;
    of_a_copy.push_back(opcode);
  }
  return of_a_copy;
}

// What a copy is, without what feeds it back: what only the longer loop has.
std::vector<std::string> copy_in(const line::Bench& bench, const StreamLoopTrials& loops) {
  const auto longer = opcodes_in(bench, loops.longer);
  auto copy = more_of_a_copy(longer, opcodes_in(bench, loops.shorter), loops.copies);
  if (!loops.fed_twice) return copy;
  for (const auto& opcode : more_of_a_copy(opcodes_in(bench, *loops.fed_twice), longer, 2 * loops.copies)) {
    const auto found = std::find(copy.begin(), copy.end(), opcode);
    if (found != copy.end()) copy.erase(found);
  }
  return copy;
}

// Whether it is the instruction: ptxas may share a part between copies, or move it out of the loop, which is as it
// would be in a program for constants and the lane's part of an address. It has all opcodes that nothing else can stand
// in for.
bool is_whole(const std::vector<std::string>& copy, const std::vector<std::string>& alone) {
  constexpr std::array<std::string_view, 12> irreplaceable = {"MUFU", "I2F", "F2I",  "F2F",  "FRND", "FCHK",
                                                              "POPC", "FLO", "DADD", "DMUL", "DFMA", "FFMA"};
  constexpr double least_part = 0.3;
  if (static_cast<double>(copy.size()) < least_part * static_cast<double>(alone.size())) return false;
  return std::all_of(irreplaceable.begin(), irreplaceable.end(), [&](std::string_view family) {
    const auto count = [&](const std::vector<std::string>& code) {
      return std::count_if(code.begin(), code.end(), [&](const auto& name) { return sass::family_of(name) == family; });
    };
    return count(copy) >= count(alone);
  });
}

bool are_assembled(const line::Bench& bench, const StreamLoopTrials& loops) {
  const auto has_window = [&](std::size_t trial) { return bench.batch().kernel_of(trial).window.has_value(); };
  return has_window(loops.shorter) && has_window(loops.longer) && (!loops.fed_twice || has_window(*loops.fed_twice));
}

std::vector<int> warps_to_try(int threads) {
  const int most = threads / lanes_of_a_warp;
  std::vector<int> warps;
  for (const int count : {1, 2, 3, 4, 5, 6, 8, 12, 16}) {
    if (count <= most) warps.push_back(count);
  }
  return warps;
}

}  // namespace

std::vector<kernel::Trial> stream_loop_trials(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant) {
  std::vector<kernel::Trial> trials;
  for (const auto& trial : latency::expand_differential(loaded, variant).trials.values) trials.push_back(trial);
  const auto loops =
      latency::expand_stream_loops(loaded, variant, most_copies, default_rounds, threads_of(*variant.form));
  if (!loops) return trials;
  trials.insert(trials.end(), {loops->shorter, loops->longer});
  if (loops->fed_twice) trials.push_back(*loops->fed_twice);
  return trials;
}

std::vector<int> copies_to_try(int instructions) {
  constexpr int most_instructions = 240;  // 3.8 KB
  std::vector<int> copies;
  for (int count = most_copies; count >= 1; count /= 2) {
    if (count == 1 || 2 * count * instructions <= most_instructions) copies.push_back(count);
  }
  return copies;
}

StreamLoopTrials add_stream_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Variant& variant,
                                  int copies, const std::string& label) {
  StreamLoopTrials trials{latency::expand_differential(loaded, variant), {}, 0, 0, 0, {}};
  for (const Role role : latency::all_roles) {
    const auto& trial = trials.differential.trials[role];
    if (!trial.kernel.text.empty()) trials.of_differential[role] = bench.add(trial, label);
  }
  const auto loops = latency::expand_stream_loops(loaded, variant, copies, default_rounds, threads_of(*variant.form));
  if (!loops) return trials;
  trials.copies = loops->copies;
  trials.shorter = bench.add(loops->shorter, label);
  trials.longer = bench.add(loops->longer, label);
  if (loops->fed_twice) trials.fed_twice = bench.add(*loops->fed_twice, label);
  return trials;
}

bool measure_stream_loops(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                          const StreamLoopTrials& loops, results::Record& record) {
  const auto audits =
      latency::audit(catalogue, bench.batch(), loops.of_differential, variant, bench.level(), loops.differential);
  const auto& whole = audits[Role::differential];
  // A single instruction that cannot be copied has a different reason.
  constexpr std::size_t fewest_instructions = 8;
  if (loops.copies == 0 || (whole.is_proven() && whole.sass.size() < fewest_instructions)) return true;
  if (!whole.is_proven() || !are_assembled(bench, loops)) return false;
  const auto copy = copy_in(bench, loops);
  if (!is_whole(copy, whole.sass)) return false;
  record.verdict = sass::Verdict::proven;
  record.note.clear();
  record.sass = copy;
  record.sass_count = static_cast<int>(copy.size());
  record.windows = {
      line::window_record(fmt::format("PTX loop of {}", loops.copies), bench.batch().kernel_of(loops.shorter), {})};
  if (!bench.measures()) return true;
  const auto warps = warps_to_try(bench.batch().trial(loops.longer).launch.threads);
  const auto time = [&](std::size_t trial) {
    return [&, trial](const auto& numbers, int rounds) { return time_loop(bench, trial, numbers, rounds); };
  };
  const auto times = time_both(time(loops.shorter), time(loops.longer), warps);
  const auto fed_twice =
      loops.fed_twice && !times.shorter.empty() ? time_loop(bench, *loops.fed_twice, warps, times.rounds) : LoopTime{};
  if (times.shorter.empty() || (loops.fed_twice && fed_twice.cycles.empty())) {
    record.verdict = times.shorter.empty() ? times.verdict : fed_twice.verdict;
    record.note = times.shorter.empty() ? times.message : fed_twice.message;
    return true;
  }
  // What feeding back costs each copy, by the number of warps.
  std::map<int, double> of_feedback;
  for (std::size_t i = 0; i < warps.size() && loops.fed_twice; ++i) {
    const double more = fed_twice.cycles[i].middle - times.longer[i].middle;
    of_feedback[warps[i]] = std::max(0.0, more / (2 * loops.copies * times.rounds));
  }
  put_rates(record, warps, times, [&](const Timing& timing) {
    return cycles_of_copy(timing, loops.copies, 2 * loops.copies) - of_feedback[timing.warps];
  });
  return true;
}

}  // namespace ptxlat::machine
