// SPDX-License-Identifier: Apache-2.0
#include "results/metric.h"

#include <algorithm>
#include <array>

namespace ptxlat::results {

namespace {

constexpr MetricUse column{true, false, false};
constexpr MetricUse shown{true, true, true};
constexpr MetricUse hidden{};

constexpr std::array<MetricKind, 25> kinds = {{
    {metric::cycles, "cycles", "dependent latency: the headline of a measured table", column},
    {metric::issue, "cycles", "cycles that one more independent copy takes", shown},
    {metric::bracket, "cycles", "instruction alone between two clocks, minus the overhead", column},
    {metric::overhead, "cycles", "two clocks with nothing between them", column},
    {metric::differential, "cycles",
     "window with the instruction and its consumer, minus the same window without the instruction", column},
    {metric::chain, "cycles", "step of a chain of dependent copies", column},
    {metric::static_cycles, "cycles", "same formula as `cycles` over the stall counts that the assembler wrote",
     column},
    {metric::least, "cycles", "lowest latency over lines and SMs, if it leaves the SM", column},
    {metric::median, "cycles", "median of these: `cycles`", column},
    {metric::p95, "cycles", "latency that 95 % of these do not exceed", column},
    {metric::most, "cycles", "highest of these", column},
    {metric::far_cycles, "cycles", "median where the line is at home in the far part of the second-level cache",
     hidden},
    {metric::far_least, "cycles", "lowest of these", hidden},
    {metric::far_p95, "cycles", "latency that 95 % of these do not exceed", hidden},
    {metric::far_most, "cycles", "highest of these", hidden},
    {metric::far_share, "share", "share of these among all lines and SMs", hidden},
    {metric::elapsed_ns, "ns", "dependent latency at the SM clock measured in the run", hidden},
    {metric::throughput, "results/clk/SM", "results per cycle of an SM with enough warps, counted per thread", hidden},
    {metric::throughput_low, "results/clk/SM",
     "lower bound of the throughput by its launches: two standard errors below their mean", hidden},
    {metric::throughput_high, "results/clk/SM", "upper bound of the throughput by its launches", hidden},
    {metric::interval, "cycles", "cycles between two such instructions in a sub-partition of the SM", hidden},
    {metric::saturates_at, "warps", "lowest number of warps per SM that reaches the throughput", hidden},
    {metric::operand_cost, "cycles", "cycles that the interval grows by with this kind of operand", hidden},
    {metric::contention, "share",
     "how much longer two instructions take together than the slower one alone, as a share of the faster one's time",
     hidden},
    {metric::floor, "share", "time to issue both, as a share of their time together", hidden},
}};

}  // namespace

std::span<const MetricKind> metric_kinds() { return kinds; }

const MetricKind* find_metric(std::string_view tag) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const MetricKind& kind) { return kind.tag == tag; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace ptxlat::results
