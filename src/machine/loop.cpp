// SPDX-License-Identifier: Apache-2.0
#include "machine/loop.h"

#include <utility>

#include "latency/survey.h"
#include "machine/saturated_kernel.h"

namespace ptxlat::machine {

Fillable first_fillable(const line::Batch& batch, const std::vector<std::size_t>& trials,
                        const std::vector<std::vector<std::string>>& wanted, int places) {
  Fillable fillable;
  for (const auto trial : trials) {
    const auto& kernel = batch.kernel_of(trial);
    fillable = {trial, kernel.cubin.has_value(), {}};
    if (kernel.window) {
      fillable.found = find_saturable(*kernel.window, wanted, places);
    } else {
      fillable.found.problem = kernel.log;
    }
    if (fillable.found.problem.empty()) return fillable;
  }
  return fillable;
}

namespace {

// The trial's kernel, in this cubin.
LoopTime time_of(line::Bench& bench, std::size_t trial, std::vector<std::uint8_t> cubin,
                 const std::vector<int>& warps) {
  constexpr int launches = 7;  // warps that share a pipe end one after the other, in an order that differs
  const auto& symbol = bench.batch().kernel_of(trial).symbol;
  worker::LaunchBatch batch{std::move(cubin), {}, true};
  for (const int count : warps) {
    auto launch = with_warps(bench.batch().trial(trial).launch, count);
    // Each on a different line and SM (docs/method.md, "Latencies that leave the SM").
    if (launch.uses_memory) launch.places = latency::surveyed_sms;
    const int count_of_launches = launch.uses_memory ? latency::surveyed_sms : launches;
    batch.kernels.push_back({symbol, std::move(launch), count_of_launches});
  }
  LoopTime time;
  for (const auto& outcome : bench.launch(batch)) {
    const bool is_done = outcome.status == kernel::LaunchStatus::ok;
    auto elapsed = is_done ? elapsed_of(outcome.readout) : std::nullopt;
    if (!elapsed) {
      const bool is_hung = outcome.status == kernel::LaunchStatus::timeout;
      return {{},
              is_hung ? sass::Verdict::timeout : sass::Verdict::fault,
              is_done ? "no warp stored its clocks" : outcome.message};
    }
    time.cycles.push_back(std::move(*elapsed));
  }
  return time;
}

}  // namespace

LoopTime time_loop(line::Bench& bench, const Fillable& fillable, const std::vector<sass::InstructionWord>& words,
                   const std::vector<int>& warps) {
  const auto& symbol = bench.batch().kernel_of(fillable.trial).symbol;
  return time_of(bench, fillable.trial,
                 fill_places(bench.batch().cubin_of(fillable.trial), symbol, fillable.found, words), warps);
}

LoopTime time_kernel(line::Bench& bench, std::size_t trial, const std::vector<int>& warps) {
  return time_of(bench, trial, bench.batch().cubin_of(trial), warps);
}

LoopTimes time_both(const TimeWarps& shorter, const TimeWarps& longer, const std::vector<int>& warps) {
  LoopTimes times;
  for (const auto& numbers : {std::vector{warps.back()}, warps}) {
    for (const bool is_longer : {false, true}) {
      auto time = is_longer ? longer(numbers) : shorter(numbers);
      if (time.cycles.empty()) return {{}, {}, time.verdict, std::move(time.message)};
      (is_longer ? times.longer : times.shorter) = std::move(time.cycles);
    }
  }
  return times;
}

}  // namespace ptxlat::machine
