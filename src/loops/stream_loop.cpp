// SPDX-License-Identifier: Apache-2.0
#include "loops/stream_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "line/window_record.h"
#include "loops/copy_loops.h"
#include "loops/patch.h"
#include "loops/saturated_kernel.h"
#include "ptx/instruction.h"
#include "sass/audit.h"
#include "sass/opcodes.h"

namespace ptxlat::loops {

namespace {

using latency::Role;

constexpr int most_copies = 4;
constexpr int most_threads = most_warps * lanes_of_a_warp;  // with 64 registers each
// These loops branch, and their launches differ by more than those of copied machine code.
constexpr int launches_of_loop = 32;

constexpr int registers_of_few_operands = 8;

const sass::Window& window_of(const line::Bench& bench, std::size_t trial) {
  return *bench.batch().kernel_of(trial).window;
}

// The opcodes that a window has more than the other one, divided by a number of copies, in its order.
std::vector<std::string> more_of_a_copy(const sass::Window& longer, const sass::Window& shorter, int copies) {
  auto more = more_opcodes(longer, shorter);
  std::vector<std::string> of_a_copy;
  for (const auto& opcode : sass::opcodes(longer)) {
    if (more[opcode] < copies || opcode == "NOP") continue;
    more[opcode] -= copies;
    of_a_copy.push_back(opcode);
  }
  return of_a_copy;
}

// A copy's instructions: those that only the longer loop has, without those that feed it back.
struct Copy {
  std::vector<std::string> opcodes;
  int fed_back = 0;
};
Copy copy_in(const line::Bench& bench, const StreamLoopTrials& loops) {
  const auto& longer = window_of(bench, loops.longer);
  Copy copy{more_of_a_copy(longer, window_of(bench, loops.shorter), loops.copies)};
  if (!loops.fed_twice) return copy;
  for (const auto& opcode : more_of_a_copy(window_of(bench, *loops.fed_twice), longer, 2 * loops.copies)) {
    ++copy.fed_back;
    const auto found = std::find(copy.opcodes.begin(), copy.opcodes.end(), opcode);
    if (found != copy.opcodes.end()) copy.opcodes.erase(found);
  }
  return copy;
}

bool uses_stack(const std::vector<std::string>& code) {
  return std::any_of(code.begin(), code.end(), [](const auto& opcode) { return sass::uses_stack(opcode); });
}

// Whether it is the instruction: ptxas may share a part between copies, or move it out of the loop, which is as it
// would be in a program for constants and the lane's part of an address.
bool is_whole(const std::vector<std::string>& copy, const std::vector<std::string>& alone) {
  constexpr double least_part = 0.3;
  return static_cast<double>(copy.size()) >= least_part * static_cast<double>(alone.size()) &&
         has_irreplaceable(copy, alone);
}

bool are_assembled(const line::Bench& bench, const StreamLoopTrials& loops) {
  const auto has_window = [&](std::size_t trial) { return bench.batch().kernel_of(trial).window.has_value(); };
  return has_window(loops.shorter) && has_window(loops.longer) && (!loops.fed_twice || has_window(*loops.fed_twice));
}

// Puts the result into the record.
void measure(line::Bench& bench, const StreamLoopTrials& loops, int fed_back, results::Record& record) {
  bench.begin_cell();
  const auto warps = warps_up_to(bench.batch().trial(loops.longer).launch.threads);
  const auto time_of = [&](std::size_t trial) { return timer_of(bench, trial, launches_of_loop); };
  const TimeLoops time{time_of(loops.shorter), time_of(loops.longer)};
  const auto times = time_both(time, warps);
  LoopTime fed_twice;
  if (loops.fed_twice && !times.shorter.empty()) fed_twice = time_of(*loops.fed_twice)(warps, times.rounds, 1);
  record.gpu = bench.gpu();
  if (times.shorter.empty() || (loops.fed_twice && fed_twice.cycles.empty())) {
    results::give_up(record, times.shorter.empty() ? times.verdict : fed_twice.verdict,
                     times.shorter.empty() ? times.message : fed_twice.message);
    return;
  }
  put_settled_rates(record, warps, time, times,
                    time_of_stream_copy(loops.copies, warps, times, fed_back, loops.fed_twice ? &fed_twice : nullptr),
                    settling_of(record.sass));
}

}  // namespace

bool has_irreplaceable(const std::vector<std::string>& copy, const std::vector<std::string>& alone) {
  constexpr std::array<std::string_view, 12> irreplaceable = {"MUFU", "I2F", "F2I",  "F2F",  "FRND", "FCHK",
                                                              "POPC", "FLO", "DADD", "DMUL", "DFMA", "FFMA"};
  return std::all_of(irreplaceable.begin(), irreplaceable.end(), [&](std::string_view family) {
    const auto count = [&](const std::vector<std::string>& code) {
      return std::count_if(code.begin(), code.end(), [&](const auto& name) { return sass::family_of(name) == family; });
    };
    return count(copy) >= count(alone);
  });
}

TimeOfCopy time_of_stream_copy(int copies, const std::vector<int>& warps, const LoopTimes& times, int fed_back,
                               const LoopTime* fed_twice) {
  std::map<int, double> of_feedback;
  for (std::size_t i = 0; fed_twice != nullptr && i < warps.size(); ++i) {
    // A LOP3 occupies its pipe for two cycles.
    const double most = fed_back * 2.0 * warps[i] / sub_partitions;
    const auto timing = timing_of(times, warps, i);
    const double more = (fed_twice->cycles[i].middle - timing.longer) / (2 * copies * timing.rounds);
    of_feedback[warps[i]] = std::clamp(more, 0.0, most);
  }
  return [=](const Timing& timing) {
    const double slope = (timing.longer - timing.shorter) / (copies * timing.rounds);
    // With few warps, a further copy fills gaps that the first ones leave: then it is what a copy has of the loop's
    // time. The loop itself is three instructions.
    constexpr double steering = 3;
    const double whole =
        ((timing.longer - cycles_of_ends) / timing.rounds - steering * timing.warps / sub_partitions) / (2 * copies);
    const auto feedback = of_feedback.find(timing.warps);
    return std::max(slope, whole) - (feedback == of_feedback.end() ? 0 : feedback->second);
  };
}

std::vector<ptx::Trial> stream_loop_trials(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant) {
  std::vector<ptx::Trial> trials;
  for (const auto& trial : latency::expand_differential(loaded, variant).trials.values) trials.push_back(trial);
  const auto loops = latency::expand_stream_loops(loaded, variant, most_copies, default_rounds, most_threads);
  if (!loops) return trials;
  trials.insert(trials.end(), {loops->shorter, loops->longer});
  if (loops->fed_twice) trials.push_back(*loops->fed_twice);
  return trials;
}

std::vector<StreamLoopShape> shapes_to_try(const isa::Form& form, int instructions) {
  constexpr int most_instructions = 240;  // 3.8 KB
  constexpr int enough_copies = 2;        // with all warps
  std::vector<StreamLoopShape> shapes;
  for (const int threads : {most_threads, threads_with_room(form, registers_of_few_operands)}) {
    for (int copies = threads == most_threads ? enough_copies : most_copies; copies >= 1; copies /= 2) {
      if (copies > 1 && 2 * copies * instructions > most_instructions) continue;
      shapes.push_back({threads, copies});
      if (threads == most_threads) break;  // what does not fit then needs more registers
    }
  }
  return shapes;
}

StreamLoopTrials add_stream_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Variant& variant,
                                  const StreamLoopShape& shape, const std::string& label) {
  StreamLoopTrials trials{latency::expand_differential(loaded, variant), {}, 0, 0, 0, {}};
  trials.of_differential = latency::add_trials(bench, trials.differential, label);
  const auto loops = latency::expand_stream_loops(loaded, variant, shape.copies, default_rounds, shape.threads);
  if (!loops) return trials;
  trials.copies = loops->copies;
  trials.shorter = bench.add(loops->shorter, label);
  trials.longer = bench.add(loops->longer, label);
  if (loops->fed_twice) trials.fed_twice = bench.add(*loops->fed_twice, label);
  return trials;
}

bool measure_stream_loops(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                          const StreamLoopTrials& loops, const std::vector<std::string>& of_stream,
                          MeasuredCodes& measured, results::Record& record) {
  const auto audits =
      latency::audit(catalogue, bench.batch(), loops.of_differential, variant, bench.level(), loops.differential);
  const auto& differential = audits[Role::differential];
  const bool has_result = ptx::result_of(*variant.form) != nullptr;
  std::vector<std::string> whole;
  if (differential.is_proven()) whole = differential.sass;
  if (whole.empty() && !has_result) whole = of_stream;
  // Short code that cannot be copied has a different reason, unless it branches.
  constexpr std::size_t fewest_instructions = 8;
  const auto branches = [](const std::string& opcode) { return sass::has(opcode, sass::Trait::leaves); };
  const bool is_short = whole.size() < fewest_instructions && std::none_of(whole.begin(), whole.end(), branches);
  if (loops.copies == 0 || (!whole.empty() && is_short)) return true;
  if (whole.empty() || !are_assembled(bench, loops)) return false;
  const auto copy = copy_in(bench, loops);
  const bool spills = uses_stack(sass::opcodes(window_of(bench, loops.longer))) && !uses_stack(whole);
  if (spills || !is_whole(copy.opcodes, whole)) return false;
  results::prove(record, copy.opcodes);
  record.windows = {
      line::window_record(fmt::format("PTX loop of {}", loops.copies), bench.batch().kernel_of(loops.shorter), {})};
  std::vector<std::size_t> trials{loops.shorter, loops.longer};
  if (loops.fed_twice) trials.push_back(*loops.fed_twice);
  record.code = code_of_trials(bench.batch(), trials);
  if (bench.measures()) measured.put(record, [&] { measure(bench, loops, copy.fed_back, record); });
  return true;
}

}  // namespace ptxlat::loops
