// SPDX-License-Identifier: Apache-2.0
#include "loops/copy_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "line/window_record.h"
#include "loops/loop.h"
#include "loops/patch.h"
#include "loops/rates.h"
#include "loops/saturated_kernel.h"
#include "sass/opcodes.h"

namespace ptxlat::loops {

namespace {

constexpr int most_places = 240;  // 3.8 KB: two copies of long code
constexpr int few_launches = 3;   // of most codes, all launches take the same time

// A single instruction is tried with all numbers of warps at which schedulers differ; code of several with a few, and
// one that leaves the SM, where nothing depends on whose warp it is, with fewer (docs/opcodes.md). A fence takes a
// microsecond.
std::vector<int> warps_to_try(const Code& code, bool leaves_sm) {
  const bool has_fence = std::any_of(code.begin(), code.end(), [](const auto& instruction) {
    return sass::has(sass::opcode_of(instruction.text), sass::Trait::fences);
  });
  if (has_fence) return {1, 4, 16, 32};
  if (code.size() > 1) return {1, 2, 4, 8, 12, 16, 20, 24, 28, 32};
  if (leaves_sm) return {1, 2, 4, 8, 12, 16, 24, 32};
  return warps_of_curves();
}

// Copies of the codes in turn.
std::vector<sass::InstructionWord> words_of(const std::vector<Code>& turns, int copies) {
  std::vector<sass::InstructionWord> words;
  for (int i = 0; i < copies; ++i) {
    const auto copy = copy_of(turns[static_cast<std::size_t>(i) % turns.size()]);
    words.insert(words.end(), copy.begin(), copy.end());
  }
  return words;
}

// The codes of a loop that take turns, by number: each kernel has its own registers.
std::vector<Code> codes_of(const Fillable& fillable, const std::vector<std::size_t>& turns) {
  std::vector<Code> codes;
  for (const auto turn : turns) codes.push_back(fillable.found.codes[turn]);
  return codes;
}

// Measures codes in turn and puts the result into the record.
void measure(line::Bench& bench, const CopyLoops& loops, const Copies& copies, const std::vector<std::size_t>& turns,
             results::Record& record) {
  bench.begin_cell();
  const auto codes = codes_of(loops.longer, turns);
  const bool uses_memory = bench.batch().trial(loops.longer.trial).launch.uses_memory;
  const auto warps = warps_to_try(codes.front(), uses_memory);
  const auto shorter = words_of(codes_of(loops.shorter, turns), copies.shorter);
  const auto longer = words_of(codes, copies.longer);
  const auto timers = [&](int launches) {
    return TimeLoops{timer_of(bench, loops.shorter, shorter, launches),
                     timer_of(bench, loops.longer, longer, launches)};
  };
  const auto time = timers(default_launches);
  auto times = time_both(timers(few_launches), warps);
  record.gpu = bench.gpu();
  if (times.shorter.empty()) {
    record.verdict = times.verdict;
    record.note = times.message;
    return;
  }
  if (!uses_memory) time_more_often(time, warps, those_that_differ(times), 1, times);
  put_settled_rates(record, warps, time, std::move(times),
                    [&](const Timing& timing) { return cycles_of_copy(timing, copies.shorter, copies.longer); });
}

}  // namespace

std::vector<int> warps_of_curves() { return {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 20, 24, 25, 28, 29, 32}; }

Copies copies_of(std::size_t instructions) {
  const auto count = static_cast<int>(instructions);
  if (count == 0 || 2 * count > most_places) return {};
  const int longer = std::max(2, places_of_body / count);
  return {std::max(1, longer * 3 / 7), longer};
}

bool are_assembled(const CopyLoops& loops) { return loops.shorter.is_assembled && loops.longer.is_assembled; }

std::string why_not_comparable(const CopyLoops& loops) {
  for (const auto* loop : {&loops.shorter, &loops.longer}) {
    if (!loop->found.problem.empty()) return loop->found.problem;
  }
  for (std::size_t i = 0; i < loops.longer.found.codes.size(); ++i) {
    if (opcodes_of(loops.shorter.found.codes[i]) != opcodes_of(loops.longer.found.codes[i]))
      return "ptxas made other code of it beside the longer loop";
  }
  return {};
}

bool assembler_failed(const CopyLoops& loops) {
  return (loops.shorter.found.problem.empty() ? loops.longer : loops.shorter).assembler_failed;
}

void measure_copies(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                    const CopyLoops& loops, const Copies& copies, const std::vector<std::size_t>& turns,
                    MeasuredCodes& measured, results::Record& record) {
  const auto codes = codes_of(loops.longer, turns);
  line::AssembledKernel shown;
  shown.window = with_first_copy(*bench.batch().kernel_of(loops.longer.trial).window, loops.longer.found, codes);
  record.windows = {line::window_record(fmt::format("loop of {}", copies.longer), shown, {})};
  record.code = code_of_copies(catalogue, variant, codes, bench.batch().trial(loops.longer.trial).launch);
  if (bench.measures()) measured.put(record, [&] { measure(bench, loops, copies, turns, record); });
}

}  // namespace ptxlat::loops
