// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sass/verdict.h"

namespace ptxlat::results {

// The unit that an instruction's throughput counts.
//   name     "results": one for each thread, as in the vendor's tables; "warp instructions" and "warpgroup
//            instructions": a warp, or four, execute it as one (PTX ISA: .sync)
//   threads  of one of these
struct WorkUnit {
  const char* name = "results";
  int threads = 1;
};
// ptx: the spelling of a form, or the name of a CUDA C function.
WorkUnit work_unit_of(const std::string& ptx);

// Multiplications that one such matrix instruction adds up, by the shape in its name, m × n × k; those by the zeros of
// a sparse matrix are counted. Empty if its name has no shape.
std::optional<double> multiply_adds_of(const std::string& ptx);

// Bytes of memory that one such instruction moves, for a thread, or for a warp that executes it as one: by the types,
// vectors and tiles in its name. Empty if it is neither an access to data memory nor a copy whose name says how much.
std::optional<double> bytes_of(const std::string& ptx);

// Results per thread and cycle, in the unit of the form; beside it the multiply-adds of a matrix instruction, and the
// bytes of an access to memory.
struct Throughput {
  std::string unit;
  std::optional<double> value, multiply_adds, bytes;
};
Throughput in_unit_of(const std::string& ptx, std::optional<double> results);

// Which time a record's headline is. The list is closed; docs/table-format.md, "Measure", says what each means.
enum class Measure {
  dependent,         // until an instruction that needs the result may issue
  first_of_several,  // the same, for the first of several results that the machine code makes one by one
  whole_sequence,    // the same, with instructions that do not depend on the operand
  round_trip,        // until what was written has been read back
  completion,        // until a wait for the effect is over
  added_time,        // what the instruction adds to the surrounding code: nothing waits for it
  issue_only,        // there is only an issue cost
};

// The words that tables use: "round trip".
const char* to_string(Measure measure);
std::optional<Measure> measure_from(std::string_view name);

// The consumer in a record if the instruction itself waited: the next step of a chain, a fence.
inline constexpr const char* itself = "itself";

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
inline constexpr std::string_view estimate = "estimate";
inline constexpr std::string_view estimate_error = "estimate_error";
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
