// SPDX-License-Identifier: Apache-2.0
#include "loops/loop.h"

#include <algorithm>
#include <utility>

#include "latency/survey.h"

namespace ptxlat::loops {

Fillable first_fillable(const line::Batch& batch, const std::vector<std::size_t>& trials,
                        const std::vector<std::vector<std::string>>& wanted, int places) {
  Fillable fillable;
  for (const auto trial : trials) {
    const auto& kernel = batch.kernel_of(trial);
    fillable = {trial, kernel.cubin.has_value(), false, {}};
    if (kernel.window) {
      fillable.found = find_saturable(*kernel.window, wanted, places);
    } else {
      fillable.found.problem = kernel.log;
      fillable.assembler_failed = kernel.assembler_failed;
    }
    if (fillable.found.problem.empty()) return fillable;
  }
  return fillable;
}

namespace {

// The trial's kernel, in this cubin. If it uses memory, each launch is on a different line and SM (docs/method.md,
// "Latencies that leave the SM").
LoopTime time_of(line::Bench& bench, std::size_t trial, std::vector<std::uint8_t> cubin, const std::vector<int>& warps,
                 int rounds, int launches, int times_as_often) {
  const auto& symbol = bench.batch().kernel_of(trial).symbol;
  worker::LaunchBatch batch{std::move(cubin), {}, true};
  for (const int count : warps) {
    auto launch = with_rounds(with_warps(bench.batch().trial(trial).launch, count), rounds);
    if (launch.uses_memory) launch.places = latency::surveyed_sms;
    const int usual_launches = launch.uses_memory ? latency::surveyed_sms : launches;
    batch.kernels.push_back({symbol, std::move(launch), times_as_often * usual_launches});
  }
  LoopTime time;
  for (const auto& outcome : bench.launch(batch)) {
    const bool is_done = outcome.status == ptx::LaunchStatus::ok;
    auto elapsed = is_done ? elapsed_of(outcome.readout) : std::nullopt;
    if (!elapsed) {
      const bool is_hung = outcome.status == ptx::LaunchStatus::timeout;
      return {{},
              is_hung ? sass::Verdict::timeout : sass::Verdict::fault,
              is_done ? "no warp stored its clocks" : outcome.message};
    }
    time.cycles.push_back(std::move(*elapsed));
  }
  return time;
}

// Enough for a rate. Warps do not end together: while the last of them run alone, they leave a part of the SM idle, and
// the more rounds, the smaller that part. With eight rounds, the results of what all warps share (memory, the
// double-precision pipe) were up to 2 % too small or too large, and differed as much between processes; with 32 by
// 0.3 %, with 128 by 0.05 % (on an H100).
//   cycles  of the longer loop with default_rounds and all warps
int rounds_for(double cycles) {
  constexpr double wanted_cycles = 250000, most_cycles = 1000000;
  constexpr double fewest = 32, most = 128;
  const auto rounds_in = [&](double time) { return default_rounds * time / std::max(cycles, 1.0); };
  const double rounds = std::min(std::clamp(rounds_in(wanted_cycles), fewest, most), rounds_in(most_cycles));
  return std::max(default_rounds, static_cast<int>(rounds));
}

}  // namespace

LoopTime time_loop(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   const std::vector<int>& warps, int rounds, int launches, int times_as_often) {
  const auto& symbol = bench.batch().kernel_of(fillable.trial).symbol;
  return time_of(bench, fillable.trial,
                 fill_places(bench.batch().cubin_of(fillable.trial), symbol, fillable.found, words), warps, rounds,
                 launches, times_as_often);
}

TimeWarps timer_of(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   int launches) {
  return [&, launches](const std::vector<int>& warps, int rounds, int times_as_often) {
    return time_loop(bench, fillable, words, warps, rounds, launches, times_as_often);
  };
}

TimeWarps timer_of(line::Bench& bench, std::size_t trial, int launches) {
  return [&bench, trial, launches](const std::vector<int>& warps, int rounds, int times_as_often) {
    return time_of(bench, trial, bench.batch().cubin_of(trial), warps, rounds, launches, times_as_often);
  };
}

Timing timing_of(const LoopTimes& times, const std::vector<int>& warps, std::size_t index) {
  return {warps[index], times.rounds, times.shorter[index].middle, times.longer[index].middle};
}

LoopTimes time_both(const TimeLoops& time_loops, const std::vector<int>& warps) {
  const auto failed = [](int rounds, LoopTime& time) {
    return LoopTimes{rounds, {}, {}, time.verdict, std::move(time.message)};
  };
  auto first = time_loops.longer({warps.back()}, default_rounds, 1);
  if (first.cycles.empty()) return failed(default_rounds, first);
  const int rounds = rounds_for(first.cycles.front().middle);
  auto shorter = time_loops.shorter(warps, rounds, 1);
  if (shorter.cycles.empty()) return failed(rounds, shorter);
  auto longer = time_loops.longer(warps, rounds, 1);
  if (longer.cycles.empty()) return failed(rounds, longer);
  return {rounds, std::move(shorter.cycles), std::move(longer.cycles), sass::Verdict::proven, {}};
}

void time_more_often(const TimeLoops& time_loops, const std::vector<int>& warps, const std::vector<std::size_t>& chosen,
                     int times_as_often, LoopTimes& times) {
  if (chosen.empty()) return;
  std::vector<int> numbers;
  for (const auto index : chosen) numbers.push_back(warps[index]);
  const auto shorter = time_loops.shorter(numbers, times.rounds, times_as_often);
  const auto longer = time_loops.longer(numbers, times.rounds, times_as_often);
  for (const auto* again : {&shorter, &longer}) {
    if (!again->cycles.empty()) continue;
    times.message = "a launch failed: " + again->message;
    times.more_failed = true;
    return;
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    times.shorter[chosen[i]] = shorter.cycles[i];
    times.longer[chosen[i]] = longer.cycles[i];
  }
}

std::vector<std::size_t> those_that_differ(const LoopTimes& times) {
  constexpr double equal = 0.001;
  const auto differ = [](const Elapsed& elapsed) {
    const auto [least, most] = std::minmax_element(elapsed.launches.begin(), elapsed.launches.end());
    return least != elapsed.launches.end() && most->value_or(0) - least->value_or(0) > equal * elapsed.middle;
  };
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < times.longer.size(); ++i) {
    if (differ(times.shorter[i]) || differ(times.longer[i])) found.push_back(i);
  }
  return found;
}

}  // namespace ptxlat::loops
