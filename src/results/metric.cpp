// SPDX-License-Identifier: Apache-2.0
#include "results/metric.h"

#include <algorithm>
#include <array>

namespace ptxlat::results {

namespace {

constexpr MetricUse column{true, false, false};
constexpr MetricUse shown{true, true, true};
constexpr MetricUse hidden{};

constexpr std::array<MetricKind, 22> kinds = {{
    {metric::cycles, "cycles", "dependent latency: the headline of a measured table", column},
    {metric::issue, "cycles", "cycles that one more independent copy takes", shown},
    {metric::bracket, "cycles", "instruction with its consumer between two clocks, less the overhead", column},
    {metric::overhead, "cycles", "consumer alone between two clocks", column},
    {metric::differential, "cycles", "window with the instruction, less the same window without it", column},
    {metric::chain, "cycles", "step of a chain of dependent copies", column},
    {metric::static_cycles, "cycles", "same formula as `cycles` over the stall counts that the assembler wrote",
     column},
    {metric::least, "cycles", "least latency over lines and SMs, where it leaves the SM", column},
    {metric::median, "cycles", "median of these: `cycles`", column},
    {metric::p95, "cycles", "latency that 95 % of these do not exceed", column},
    {metric::most, "cycles", "greatest of these", column},
    {metric::far_cycles, "cycles", "median where the line is at home in the far part of the second-level cache",
     hidden},
    {metric::far_least, "cycles", "least of these", hidden},
    {metric::far_p95, "cycles", "latency that 95 % of these do not exceed", hidden},
    {metric::far_most, "cycles", "greatest of these", hidden},
    {metric::far_share, "share", "share of these among all lines and SMs", hidden},
    {metric::elapsed_ns, "ns", "dependent latency at the SM clock measured in the run", hidden},
    {metric::throughput, "results/clk/SM", "results of threads that an SM makes in a cycle, with enough warps", hidden},
    {metric::interval, "cycles", "cycles between two instructions that a sub-partition of the SM then takes", hidden},
    {metric::saturates_at, "warps", "fewest warps of an SM that reach the throughput", hidden},
    {metric::contention, "share",
     "share of the shorter's time by which two instructions together take longer than the "
     "longer alone",
     hidden},
    {metric::floor, "share", "share of the time together that issuing them takes in any case", hidden},
}};

}  // namespace

std::span<const MetricKind> metric_kinds() { return kinds; }

const MetricKind* find_metric(std::string_view tag) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const MetricKind& kind) { return kind.tag == tag; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace ptxlat::results
