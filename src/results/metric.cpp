// SPDX-License-Identifier: Apache-2.0
#include "results/metric.h"

#include <algorithm>
#include <array>
#include <regex>

#include "base/named_values.h"

namespace ptxlat::results {

WorkUnit work_unit_of(const std::string& ptx) {
  constexpr int warp = 32, warpgroup = 128;
  if (ptx.starts_with("wgmma.")) return {"warpgroup instructions", warpgroup};
  static const std::regex collective("\\.sync(\\.|$| )|_sync$");
  if (std::regex_search(ptx, collective)) return {"warp instructions", warp};
  return {};
}

namespace {

// The shape in a name, m × n × k.
struct Shape {
  double m = 0, n = 0, k = 0;
};
std::optional<Shape> shape_in(const std::string& ptx) {
  static const std::regex shape("\\.m([0-9]{1,4})n([0-9]{1,4})k([0-9]{1,4})(\\.|$)");
  std::smatch found;
  if (!std::regex_search(ptx, found, shape)) return std::nullopt;
  return Shape{std::stod(found[1]), std::stod(found[2]), std::stod(found[3])};
}

}  // namespace

std::optional<double> multiply_adds_of(const std::string& ptx) {
  if (!ptx.starts_with("mma.") && !ptx.starts_with("wmma.mma.") && !ptx.starts_with("wgmma.")) return std::nullopt;
  const auto shape = shape_in(ptx);
  return shape ? std::optional(shape->m * shape->n * shape->k) : std::nullopt;
}

namespace {

// The last type in a name, in bytes: before that of the data there may be one of an accumulator. 0 if there is none.
double bytes_of_type(const std::string& ptx) {
  static const std::regex type("\\.(?:[busf]|bf|tf)([0-9]{1,3})(x2)?(?=\\.|$| )");
  double bytes = 0;
  for (std::sregex_iterator at(ptx.begin(), ptx.end(), type), none; at != none; ++at) {
    constexpr int bits_of_byte = 8, bits_of_tf32 = 32;
    const bool is_tf32 = (*at)[0].str().starts_with(".tf");
    bytes = (is_tf32 ? bits_of_tf32 : std::stod((*at)[1])) / bits_of_byte * ((*at)[2].matched ? 2 : 1);
  }
  return bytes;
}

// Elements of a matrix of the wmma instructions: m × k of a, k × n of b, m × n of c and d. 0 if it is no such access.
double elements_of_fragment(const std::string& ptx) {
  constexpr std::string_view load = "wmma.load.", store = "wmma.store.";
  if (!ptx.starts_with(load) && !ptx.starts_with(store)) return 0;
  const auto shape = shape_in(ptx);
  if (!shape) return 0;
  const char matrix = ptx[ptx.starts_with(load) ? load.size() : store.size()];
  return matrix == 'a' ? shape->m * shape->k : matrix == 'b' ? shape->k * shape->n : shape->m * shape->n;
}

}  // namespace

std::optional<double> bytes_of(const std::string& ptx) {
  static const std::regex access("^(ld|ldu|st|atom|red|suld|sust|sured)[.:]"), tile("^(ldmatrix|stmatrix)\\.");
  static const std::regex vector("\\.v([248])(\\.|$)"), tiles("\\.x([124])(\\.|$)");
  constexpr int bytes_of_tile = 128;  // 8 rows of 16
  std::smatch found;
  if (std::regex_search(ptx, tile))
    return std::regex_search(ptx, found, tiles) ? std::optional(bytes_of_tile * std::stod(found[1])) : std::nullopt;
  double elements = elements_of_fragment(ptx);
  if (elements == 0 && !std::regex_search(ptx, access)) return std::nullopt;
  if (elements == 0) elements = std::regex_search(ptx, found, vector) ? std::stod(found[1]) : 1;
  const double bytes = bytes_of_type(ptx);
  return bytes == 0 ? std::nullopt : std::optional(elements * bytes);
}

Throughput in_unit_of(const std::string& ptx, std::optional<double> results) {
  const auto unit = work_unit_of(ptx);
  if (!results) return {unit.name, {}, {}, {}};
  const double value = *results / unit.threads;
  const auto times = [&](std::optional<double> of_one) {
    return of_one ? std::optional(*of_one * value) : std::nullopt;
  };
  return {unit.name, value, times(multiply_adds_of(ptx)), times(bytes_of(ptx))};
}

namespace {

constexpr NamedValues<Measure, 7> measure_names = {{
    {Measure::dependent, "dependent"},
    {Measure::first_of_several, "first of several"},
    {Measure::whole_sequence, "whole sequence"},
    {Measure::round_trip, "round trip"},
    {Measure::completion, "completion"},
    {Measure::added_time, "added time"},
    {Measure::issue_only, "issue only"},
}};

}  // namespace

const char* to_string(Measure measure) { return name_in(measure_names, measure); }
std::optional<Measure> measure_from(std::string_view name) { return value_in(measure_names, name); }

namespace {

constexpr MetricUse column{true, false, false};
constexpr MetricUse shown{true, true, true};
constexpr MetricUse hidden{};

constexpr std::array<MetricKind, 27> kinds = {{
    {metric::cycles, "cycles", "dependent latency: the headline of a measured table", column},
    {metric::issue, "cycles", "cycles that one more independent copy takes", shown},
    {metric::bracket, "cycles", "instruction alone between two clocks, minus the overhead", column},
    {metric::overhead, "cycles", "two clocks with nothing between them", column},
    {metric::differential, "cycles",
     "window with the instruction and its consumer, minus the same window without the instruction", column},
    {metric::chain, "cycles", "step of a chain of dependent copies", column},
    {metric::static_cycles, "cycles", "same formula as `cycles` over the stall counts that the assembler wrote",
     column},
    {metric::estimate, "cycles",
     "same formula with results that arrive as on the nearest measured card, where stall counts do not say when; in a "
     "static table",
     column},
    {metric::estimate_error, "cycles", "error of the estimate, to both sides, that nine of ten do not exceed", column},
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
