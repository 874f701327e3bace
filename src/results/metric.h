// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sass/verdict.h"

namespace ptxlat::results {

// Where a metric appears in addition to the store and latency.jsonl.zst, which have every metric.
struct MetricUse {
  bool is_column = false;    // a column of latency.csv
  bool is_shown = false;     // a column of latency.md and of the printed table, at the table's highest level
  bool is_compared = false;  // `compare` reports its changes in addition to those of the headline
};

// One kind of number. A new number is one line of metric_kinds(); the store, csv, Markdown, JSON, `show` and `compare`
// find it there.
struct MetricKind {
  std::string_view tag;  // its key in JSON and its column in csv
  std::string_view unit;
  std::string_view description;  // to follow "the", in legends and documents
  MetricUse use;
};

namespace metric {
inline constexpr std::string_view cycles = "cycles";
inline constexpr std::string_view issue = "issue";
inline constexpr std::string_view bracket = "bracket";
inline constexpr std::string_view overhead = "overhead";
inline constexpr std::string_view differential = "differential";
inline constexpr std::string_view chain = "chain";
inline constexpr std::string_view static_cycles = "static";
inline constexpr std::string_view least = "min";
inline constexpr std::string_view median = "median";
inline constexpr std::string_view p95 = "p95";
inline constexpr std::string_view most = "max";
inline constexpr std::string_view far_cycles = "far_cycles";
inline constexpr std::string_view far_least = "far_min";
inline constexpr std::string_view far_p95 = "far_p95";
inline constexpr std::string_view far_most = "far_max";
inline constexpr std::string_view far_share = "far_share";
inline constexpr std::string_view elapsed_ns = "elapsed_ns";
inline constexpr std::string_view throughput = "throughput";
inline constexpr std::string_view throughput_low = "throughput_low";
inline constexpr std::string_view throughput_high = "throughput_high";
inline constexpr std::string_view interval = "interval";
inline constexpr std::string_view saturates_at = "saturates_at";
inline constexpr std::string_view operand_cost = "operand_cost";
inline constexpr std::string_view contention = "contention";
inline constexpr std::string_view floor = "floor";
}  // namespace metric

// In the order of the columns.
std::span<const MetricKind> metric_kinds();
// Null if no metric has this tag.
const MetricKind* find_metric(std::string_view tag);

// One number of a record.
//   from  the roles of the windows behind it: the leading witness. Empty if it follows from other metrics
struct Metric {
  std::string_view tag;  // of a MetricKind
  double value = 0;
  sass::Verdict verdict = sass::Verdict::proven;
  std::vector<std::string> from;

  bool operator==(const Metric&) const = default;
};

}  // namespace ptxlat::results
