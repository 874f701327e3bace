// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "line/line.h"
#include "loops/patch.h"
#include "loops/rates.h"
#include "loops/saturated_kernel.h"
#include "results/record.h"
#include "sass/verdict.h"

namespace ptxlat::loops {

// A trial of a bench whose kernel has the requested code and places for copies of it.
//   problem of `found`  why it cannot be used; empty if it can
//   assembler_failed    and that is why: another attempt may give a code
struct Fillable {
  std::size_t trial = 0;
  bool is_assembled = false;
  bool assembler_failed = false;
  Saturable found;
};
// The first of the trials that can be used; the last one, with its problem, if none can. `wanted` as in find_saturable.
Fillable first_fillable(const line::Batch& batch, const std::vector<std::size_t>& trials,
                        const std::vector<std::vector<std::string>>& wanted, int places);

// How often a loop that does not use memory is launched: warps that share a pipe end one after the other, in an order
// that differs.
inline constexpr int default_launches = 7;

// Numbers of warps to try in a CTA of this many threads.
std::vector<int> warps_up_to(int threads);

// Cycles of a loop with each requested number of warps; none, with the reason, if a launch failed.
//   ctas  that ran it at once
struct LoopTime {
  std::vector<Elapsed> cycles;
  sass::Verdict verdict = sass::Verdict::proven;
  std::string message;
  int ctas = 1;
};
// Where and on what a kernel's launch runs: some launches, and how often each.
struct ShapedLaunches {
  std::vector<ptx::Launch> launches;
  int times = 1;
};
using ShapeLaunch = std::function<ShapedLaunches(ptx::Launch launch)>;
// Writes the words over the places and runs the result. Requires a GPU.
LoopTime time_loop(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   const std::vector<int>& warps, int rounds, const ShapeLaunch& shape);
// The same on one SM.
//   launches        usually, with each number of warps, if it does not use memory
//   times_as_often  how many times as often
LoopTime time_loop(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   const std::vector<int>& warps, int rounds = default_rounds, int launches = default_launches,
                   int times_as_often = 1);

// The times of two kernels of which one has more copies; neither has times if a launch of either failed.
//   more_failed  they are there, but launches that were to make them better failed
//   ctas         that ran each at once
struct LoopTimes {
  int rounds = default_rounds;
  std::vector<Elapsed> shorter, longer;
  sass::Verdict verdict = sass::Verdict::proven;
  std::string message;
  bool more_failed = false;
  int ctas = 1;
};
// Those of one number of warps, over all launches.
//   index  of that number
Timing timing_of(const LoopTimes& times, const std::vector<int>& warps, std::size_t index);

// Times a kernel with each number of warps.
using TimeWarps = std::function<LoopTime(const std::vector<int>& warps, int rounds, int times_as_often)>;
struct TimeLoops {
  TimeWarps shorter, longer;
};
// By time_loop, for as long as all of these exist.
//   launches  as for time_loop
TimeWarps timer_of(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   int launches = default_launches);
// The same with launches of this shape, however often.
TimeWarps timer_of(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   const ShapeLaunch& shape);
// The loop of an assembled trial as it is, for as long as the bench exists.
TimeWarps timer_of(line::Bench& bench, std::size_t trial, int launches = default_launches);
// Enough for a rate. Warps do not end together: while the last of them run alone, they leave a part of the SM idle, and
// the more rounds, the smaller that part. With eight rounds, the results of what all warps share (memory, the
// double-precision pipe) were up to 2 % too small or too large, and differed as much between processes; with 32 by
// 0.3 %, with 128 by 0.05 % (on an H100).
//   first                       at which a launch says how many are enough, and never fewer
//   wanted_cycles, most_cycles  of the longer loop with all warps; the second counts more than `fewest`
struct Rounds {
  int first = default_rounds;
  double wanted_cycles = 250000, most_cycles = 1000000;
  double fewest = 32, most = 128;
};
// The longer one with the last number of warps first: a kernel that hangs or faults does so only once, and says how
// many rounds are enough. Requires a GPU.
LoopTimes time_both(const TimeLoops& time_loops, const std::vector<int>& warps, const Rounds& rounds = {});
// Replaces the times of the chosen numbers of warps, by their index, with those of more launches. A launch that fails
// leaves them as they are, with a message.
void time_more_often(const TimeLoops& time_loops, const std::vector<int>& warps, const std::vector<std::size_t>& chosen,
                     int times_as_often, LoopTimes& times);
// Which numbers of warps, by their index, have launches of either loop that differ by more than a thousandth.
std::vector<std::size_t> those_that_differ(const LoopTimes& times);

// The SM time that one more copy in each warp takes, in cycles, from the times of both loops.
using TimeOfCopy = std::function<double(const Timing& timing)>;

// Puts the curve over warps into the record, how far its launches spread, and its result. Of a rate of the whole GPU or
// a survey, the spread is the range of its launches, and its number stands whatever that is.
void put_rates(results::Record& record, const std::vector<int>& warps, const LoopTimes& times,
               const TimeOfCopy& time_of_copy);
// The same, and if the launches do not agree on the result, those that decide it are launched as often as it takes. If
// that fails, the rates are those of the first launches, and the record is not final. Requires a GPU.
//   most_times_as_often  if it takes more, they do not agree
//   is_survey            then they are at different lines and SMs, and the result is a range if that is within a factor
//                        of two
struct Settling {
  int most_times_as_often = 48;
  bool is_survey = false;
};
void put_settled_rates(results::Record& record, const std::vector<int>& warps, const TimeLoops& time, LoopTimes times,
                       const TimeOfCopy& time_of_copy, const Settling& settling = {});

// A throughput is unstable if its bounds, two standard errors below and above, are further apart than this share of it.
// At this limit, two runs differ by 1 % or more in one case of twenty.
inline constexpr double largest_spread = 0.014;

// The result of a record's curve over warps, with the current rules.
void read_again(results::Record& record);

}  // namespace ptxlat::loops
