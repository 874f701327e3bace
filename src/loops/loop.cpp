// SPDX-License-Identifier: Apache-2.0
#include "loops/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/quantile.h"
#include "latency/samples.h"
#include "loops/saturated_kernel.h"
#include "results/access_pattern.h"
#include "results/curve.h"
#include "results/metric.h"
#include "results/note.h"
#include "sass/opcodes.h"

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

LoopTime failed(bool is_hung, std::string message) {
  return {{}, is_hung ? sass::Verdict::timeout : sass::Verdict::fault, std::move(message)};
}

// The trial's kernel, in this cubin.
//   step  from one thread whose clocks are read to the next
LoopTime time_of(line::Bench& bench, std::size_t trial, std::vector<std::uint8_t> cubin, const std::vector<int>& warps,
                 int rounds, const ShapeLaunch& shape, int step) {
  const auto& symbol = bench.batch().kernel_of(trial).symbol;
  // The shorter and the longer loop are launched in turn.
  worker::LaunchBatch batch{std::move(cubin), {}, true, true};
  std::vector<std::size_t> ends;  // of the kernels with each number of warps
  for (const int count : warps) {
    auto shaped = shape(with_rounds(with_warps(bench.batch().trial(trial).launch, count), rounds));
    for (auto& launch : shaped.launches) {
      launch.output_step = step;
      batch.kernels.push_back({symbol, std::move(launch), shaped.times});
    }
    ends.push_back(batch.kernels.size());
  }
  const auto outcomes = bench.launch(batch);
  LoopTime time;
  std::size_t i = 0;
  for (const auto end : ends) {
    std::vector<std::optional<double>> launches;
    for (; i < end; ++i) {
      const auto& [status, message, readout, may_be_trap] = outcomes[i];
      if (status != ptx::LaunchStatus::ok) return failed(status == ptx::LaunchStatus::timeout, message);
      const auto threads = static_cast<std::size_t>(batch.kernels[i].launch.threads / step);
      const auto cycles = cycles_of_launches(readout, threads);
      launches.insert(launches.end(), cycles.begin(), cycles.end());
      time.ctas = static_cast<int>(readout.threads / threads);
    }
    auto elapsed = elapsed_of(std::move(launches));
    if (!elapsed) return failed(false, "no warp stored its clocks");
    time.cycles.push_back(std::move(*elapsed));
  }
  return time;
}

// On one SM, or one cluster. If it uses memory, each launch is on a different line and SM (docs/method.md, "Latencies
// that leave the SM").
ShapeLaunch on_one_sm(int launches, int times_as_often) {
  return [=](ptx::Launch launch) {
    if (!launch.uses_memory) return ShapedLaunches{{std::move(launch)}, times_as_often * launches};
    launch.places = latency::surveyed_sms;
    return ShapedLaunches{{std::move(launch)}, times_as_often * latency::surveyed_sms};
  };
}

//   cycles  of the longer loop with the first rounds and all warps
int rounds_for(double cycles, const Rounds& rounds) {
  const auto rounds_in = [&](double time) { return rounds.first * time / std::max(cycles, 1.0); };
  const double enough = std::clamp(rounds_in(rounds.wanted_cycles), rounds.fewest, rounds.most);
  return std::max(rounds.first, static_cast<int>(std::min(enough, rounds_in(rounds.most_cycles))));
}

}  // namespace

std::vector<int> warps_up_to(int threads) {
  std::vector<int> warps;
  for (const int count : {1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 28, 32}) {
    if (count <= threads / lanes_of_a_warp) warps.push_back(count);
  }
  return warps;
}

// Copies do not branch, so that the lanes of a warp read the same clocks. Each warp of the whole GPU is a hundred
// kilobytes less to read.
LoopTime time_loop(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   const std::vector<int>& warps, int rounds, const ShapeLaunch& shape) {
  const auto& symbol = bench.batch().kernel_of(fillable.trial).symbol;
  return time_of(bench, fillable.trial,
                 fill_places(bench.batch().cubin_of(fillable.trial), symbol, fillable.found, words), warps, rounds,
                 shape, lanes_of_a_warp);
}

LoopTime time_loop(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   const std::vector<int>& warps, int rounds, int launches, int times_as_often) {
  return time_loop(bench, fillable, words, warps, rounds, on_one_sm(launches, times_as_often));
}

TimeWarps timer_of(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   const ShapeLaunch& shape) {
  return [&, shape](const std::vector<int>& warps, int rounds, int /*times_as_often*/) {
    return time_loop(bench, fillable, words, warps, rounds, shape);
  };
}

TimeWarps timer_of(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   int launches) {
  return [&, launches](const std::vector<int>& warps, int rounds, int times_as_often) {
    return time_loop(bench, fillable, words, warps, rounds, launches, times_as_often);
  };
}

TimeWarps timer_of(line::Bench& bench, std::size_t trial, int launches) {
  return [&bench, trial, launches](const std::vector<int>& warps, int rounds, int times_as_often) {
    return time_of(bench, trial, bench.batch().cubin_of(trial), warps, rounds, on_one_sm(launches, times_as_often), 1);
  };
}

Timing timing_of(const LoopTimes& times, const std::vector<int>& warps, std::size_t index) {
  return {warps[index], times.rounds, times.shorter[index].middle, times.longer[index].middle};
}

LoopTimes time_both(const TimeLoops& time_loops, const std::vector<int>& warps, const Rounds& rounds) {
  LoopTimes times;
  times.rounds = rounds.first;
  const auto gave_up = [&](LoopTime& time) {
    return LoopTimes{times.rounds, {}, {}, time.verdict, std::move(time.message)};
  };
  auto first = time_loops.longer({warps.back()}, rounds.first, 1);
  if (first.cycles.empty()) return gave_up(first);
  times.rounds = rounds_for(first.cycles.front().middle, rounds);
  auto shorter = time_loops.shorter(warps, times.rounds, 1);
  if (shorter.cycles.empty()) return gave_up(shorter);
  auto longer = time_loops.longer(warps, times.rounds, 1);
  if (longer.cycles.empty()) return gave_up(longer);
  times.shorter = std::move(shorter.cycles);
  times.longer = std::move(longer.cycles);
  times.ctas = longer.ctas;
  return times;
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

namespace {

namespace metric = results::metric;

constexpr char curve_name[] = "warps";

double rate_of(int warps, double cycles) { return lanes_of_a_warp * warps / cycles; }

// Results per cycle with each number of warps; none if more copies did not take longer.
std::vector<double> rates_of(const std::vector<int>& warps, const LoopTimes& times, const TimeOfCopy& time_of_copy) {
  std::vector<double> rates;
  for (std::size_t i = 0; i < warps.size(); ++i) {
    const auto cycles = time_of_copy(timing_of(times, warps, i));
    if (cycles <= 0) return {};
    rates.push_back(rate_of(warps[i], cycles));
  }
  return rates;
}

// The throughput of one launch, from the warps that saturate the SM: the lines, the SMs and the order in which warps
// end are the same within a launch. Empty if it has none of them.
std::optional<double> throughput_of_launch(std::size_t launch, const std::vector<int>& warps, const LoopTimes& times,
                                           const TimeOfCopy& time_of_copy, const std::vector<std::size_t>& best) {
  std::vector<double> rates;
  for (const auto i : best) {
    if (launch >= times.shorter[i].launches.size() || launch >= times.longer[i].launches.size()) continue;
    const auto shorter = times.shorter[i].launches[launch], longer = times.longer[i].launches[launch];
    if (!shorter || !longer) continue;
    const auto cycles = time_of_copy({warps[i], times.rounds, *shorter, *longer});
    if (cycles > 0) rates.push_back(rate_of(warps[i], cycles));
  }
  if (rates.empty()) return std::nullopt;
  return median_of(std::move(rates));
}

// The standard error of a middle mean: 1.03 times that of the mean of all if they are normally distributed, where the
// quartiles are 1.35 standard deviations apart.
double error_of_middle_mean(const std::vector<double>& values) {
  const double quartiles_apart = quantile_of(values, 0.75) - quantile_of(values, 0.25);
  return 0.76 * quartiles_apart / std::sqrt(static_cast<double>(values.size()));
}

void withdraw(results::Record& record, const std::string& why) {
  for (const auto number : {metric::throughput, metric::interval, metric::saturates_at}) record.set(number, {});
  results::give_up(record, sass::Verdict::unstable, why);
}

// Whether its launches, at different places, are not expected to agree.
bool is_range(const results::Record& record) {
  return results::access_pattern_of(record) || record.has_flag(results::flag::survey);
}

// Without them, for a record made before there were any, its verdict stays.
void judge_spread(results::Record& record, double throughput) {
  const auto low = record.number(metric::throughput_low), high = record.number(metric::throughput_high);
  if (!low || !high) return;
  const bool is_unstable = !is_range(record) && *high - *low > largest_spread * throughput;
  record.verdict = sass::Verdict::proven;
  if (!is_unstable) return;
  const auto unit = results::work_unit_of(record.ptx);
  withdraw(record, fmt::format("its launches only show that it is between {:.4g} and {:.4g} {} per cycle",
                               *low / unit.threads, *high / unit.threads, unit.name));
}

// How many instructions of the record's code an SM would issue per cycle, if it does not branch; else 0, as of the GPU.
double issued_per_cycle(const results::Record& record, double per_clock) {
  if (results::access_pattern_of(record)) return 0;
  const auto may_branch = [](const std::string& opcode) {
    return sass::has(opcode, sass::Trait::leaves | sass::Trait::bookkeeping);
  };
  if (std::any_of(record.sass.begin(), record.sass.end(), may_branch)) return 0;
  return per_clock / lanes_of_a_warp * record.sass_count;
}

// 0 if it was not measured.
double rate_of_one_warp(const std::vector<int>& warps, const std::vector<double>& rates) {
  const auto one = std::find(warps.begin(), warps.end(), 1);
  return one == warps.end() ? 0 : rates[static_cast<std::size_t>(one - warps.begin())];
}

}  // namespace

void put_rates(results::Record& record, const std::vector<int>& warps, const LoopTimes& times,
               const TimeOfCopy& time_of_copy) {
  const bool is_of_gpu = results::access_pattern_of(record).has_value();
  results::Series series{curve_name, is_of_gpu ? "results/clk" : "results/clk/SM", {{"warps", "warps", {}}}, {}};
  const auto rates = rates_of(warps, times, time_of_copy);
  if (rates.empty()) {
    results::give_up(record, sass::Verdict::unstable, "more copies did not take longer");
    return;
  }
  series.axes.front().values.assign(warps.begin(), warps.end());
  series.values.assign(rates.begin(), rates.end());
  record.series.push_back(std::move(series));
  const auto best = saturation_of(warps, rates).best;
  std::size_t launches = 0;
  for (const auto i : best) launches = std::max(launches, times.longer[i].launches.size());
  std::vector<double> of_launches;
  for (std::size_t launch = 0; launch < launches; ++launch) {
    if (const auto one = throughput_of_launch(launch, warps, times, time_of_copy, best)) of_launches.push_back(*one);
  }
  if (!of_launches.empty() && is_range(record)) {
    // Of many launches, without the slowest and the fastest of twenty. The number itself is of all launches' times.
    constexpr double outer = 0.05;
    constexpr std::size_t many = 20;
    const double left_out = of_launches.size() < many ? 0 : outer, number = saturation_of(warps, rates).per_clock;
    record.set(metric::throughput_low, std::min(number, quantile_of(of_launches, left_out)));
    record.set(metric::throughput_high, std::max(number, quantile_of(of_launches, 1 - left_out)));
  } else if (!of_launches.empty()) {
    const double error = error_of_middle_mean(of_launches), middle = middle_mean_of(of_launches);
    record.set(metric::throughput_low, middle - 2 * error);
    record.set(metric::throughput_high, middle + 2 * error);
  }
  // Four warps, one in each sub-partition, could do four times what one does.
  constexpr double equal = 1.03;
  const auto most = *std::max_element(rates.begin(), rates.end());
  record.set_flag(results::flag::shares_unit,
                  !is_of_gpu && sub_partitions * rate_of_one_warp(warps, rates) > equal * most);
  read_again(record);
}

namespace {

// Whether there are rates, and launches that do not agree on one.
bool is_unsettled(const results::Record& record) {
  return record.verdict == sass::Verdict::unstable && record.number(metric::throughput_low) &&
         record.number(metric::throughput_high);
}

// Puts the rates, and those of more launches instead if a few do not agree.
void settle_rates(results::Record& record, const std::vector<int>& warps, const TimeLoops& time, LoopTimes& times,
                  const TimeOfCopy& time_of_copy, int most_times_as_often) {
  put_rates(record, warps, times, time_of_copy);
  if (!is_unsettled(record)) return;
  const auto low = record.number(metric::throughput_low), high = record.number(metric::throughput_high);
  // Of ranges at the limit, half would still be too wide.
  constexpr double margin = 1.3;
  const double apart = 2 * (*high - *low) / (*high + *low) / largest_spread;
  const double times_as_often = std::ceil(margin * apart * apart);
  if (times_as_often < 1 || times_as_often > most_times_as_often) return;
  const auto saturation = saturation_of(warps, rates_of(warps, times, time_of_copy));
  time_more_often(time, warps, saturation.best, static_cast<int>(times_as_often), times);
  record.series.pop_back();
  put_rates(record, warps, times, time_of_copy);
}

// Puts the rates of launches that do not agree, if they are one rate at all.
void take_range(results::Record& record, const std::vector<int>& warps, const LoopTimes& times,
                const TimeOfCopy& time_of_copy) {
  constexpr double widest = 2;
  auto range = record;
  range.add_flag(results::flag::survey);
  range.series.pop_back();
  put_rates(range, warps, times, time_of_copy);
  if (*range.number(metric::throughput_high) <= widest * *range.number(metric::throughput_low))
    record = std::move(range);
}

}  // namespace

void put_settled_rates(results::Record& record, const std::vector<int>& warps, const TimeLoops& time, LoopTimes times,
                       const TimeOfCopy& time_of_copy, const Settling& settling) {
  settle_rates(record, warps, time, times, time_of_copy, settling.most_times_as_often);
  if (settling.is_survey && is_unsettled(record)) take_range(record, warps, times, time_of_copy);
  // If there is a message, the rates are those of the first launches.
  results::add_note(record.note, times.message);
  if (times.more_failed) record.add_flag(results::flag::retry);
}

void read_again(results::Record& record) {
  const auto curve = std::find_if(record.series.begin(), record.series.end(),
                                  [](const results::Series& series) { return series.name == curve_name; });
  if (record.kind != results::RecordKind::throughput || curve == record.series.end() || record.windows.empty()) return;
  if (!results::is_curve(*curve)) return;
  std::vector<int> warps;
  std::vector<double> rates;
  for (std::size_t i = 0; i < curve->values.size(); ++i) {
    warps.push_back(static_cast<int>(curve->axes.front().values[i]));
    rates.push_back(curve->values[i].value_or(0));
  }
  if (*std::max_element(rates.begin(), rates.end()) <= 0) return;
  const auto saturation = saturation_of(warps, rates);
  // A scheduler issues one instruction per cycle: whatever says more has measured something else.
  constexpr double error = 1.02;
  if (const double issued = issued_per_cycle(record, saturation.per_clock); issued > error * sub_partitions)
    return withdraw(record, fmt::format("it would be {:.3g} instructions per cycle: more than an SM issues", issued));
  record.set(metric::throughput, saturation.per_clock, {record.windows.front().role});
  if (!results::access_pattern_of(record)) record.set(metric::interval, saturation.interval);
  record.set(metric::saturates_at, saturation.saturates_at);
  record.note = saturation.still_rises ? "more warps would do more" : "";
  if (record.has_flag(results::flag::shares_unit))
    results::add_note(record.note,
                      fmt::format("one unit serves all sub-partitions: a warp alone does {:.4g}",
                                  rate_of_one_warp(warps, rates) / results::work_unit_of(record.ptx).threads));
  if (record.has_flag(results::flag::survey)) results::add_note(record.note, "a range, by the lines and the SM");
  judge_spread(record, saturation.per_clock);
}

}  // namespace ptxlat::loops
