// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/metric.h"
#include "sass/verdict.h"

namespace ptxlat::results {

// One SASS instruction of a window with its control word (method.md, section 5).
struct SassRecord {
  int offset = 0;    // bytes from the start of the kernel
  std::string text;  // "IADD3 R0, R2, R3, RZ"
  int stall_count = 0;
  bool yields = false;
  int write_scoreboard = 7;  // 7 = none
  int read_scoreboard = 7;
  int wait_mask = 0;
  int reuse = 0;

  bool operator==(const SassRecord&) const = default;
};

// One trial of a record: its machine code, its audit and the GPU's measurements.
struct WindowRecord {
  std::string role;     // in its experiment: "chain twice"
  std::string operand;  // in a row of several operands, those that have it; empty: all
  sass::Verdict verdict = sass::Verdict::proven;
  std::string reason;                  // if not proven
  std::vector<SassRecord> sass;        // including both clock reads
  int static_cycles = 0;               // sum of stall counts from the first clock read up to the second
  bool static_is_lower_bound = false;  // something in the window waits or branches
  std::optional<double> cycles;        // mode of the samples
  double mode_share = 0;               // 0…1
  std::vector<std::uint32_t> samples;  // elapsed cycles, launch by launch
  std::string measured_as;             // the form for which the same machine code was run; empty: run for this record

  bool operator==(const WindowRecord&) const = default;
};

// Numbers over axes: a curve has one axis, a matrix two. `values` has the last axis fastest; a point without a number
// is empty. An axis with names ("ca", "cg") numbers them, from 0.
struct Axis {
  std::string name;
  std::string unit;
  std::vector<double> values;
  std::vector<std::string> names = {};  // of the values; empty if they are numbers

  bool operator==(const Axis&) const = default;
};
struct Series {
  std::string name;
  std::string unit;
  std::vector<Axis> axes;
  std::vector<std::optional<double>> values;

  bool operator==(const Series&) const = default;
};

// Points are in order, the last axis fastest. The place on each axis of the point with this number, from the axes'
// lengths.
std::vector<std::size_t> places_of(std::size_t number, const std::vector<std::size_t>& lengths);
std::vector<std::size_t> lengths_of(const Series& series);

// How far a fact can be relied on.
enum class FactVerdict {
  inferred,      // from a model that also predicted measurements it was not made from
  measured,      // read off directly, without a model
  undetermined,  // `how` says why
  contradicted,  // two ways to find it disagree
};
const char* to_string(FactVerdict verdict);
std::optional<FactVerdict> fact_verdict_from(const std::string& name);

// A fact about a machine.
struct Fact {
  std::string quantity;             // "l1.line_bytes"
  std::string condition;            // what it depends on: "bits=64 warps=8", keys sorted; may be empty
  std::string value;                // a number, a word, or a list with spaces; empty if undetermined
  std::optional<double> low, high;  // for numbers: the range expected in a repetition on the same card
  std::string unit;
  std::string scope;  // "kind": every card of this kind has it; "card": only this one
  FactVerdict verdict = FactVerdict::undetermined;
  std::string how;  // the experiment, the model, and what it predicted

  bool operator==(const Fact&) const = default;
};

// Warnings to readers of the numbers, as keywords for programs. `note` says the same in words.
namespace flag {
inline constexpr const char* spread = "spread";                             // launches spread over several cycles
inline constexpr const char* diverged = "diverged";                         // the lanes of a warp took different paths
inline constexpr const char* branches = "branches";                         // the code branches
inline constexpr const char* static_is_lower_bound = "static_lower_bound";  // something waits
inline constexpr const char* schedule_differs = "schedule_differs";         // measured and static disagree
inline constexpr const char* witnesses_differ = "witnesses_differ";         // differential and chain disagree
inline constexpr const char* processes_differ = "processes_differ";         // a second process measured something else
inline constexpr const char* gpus_differ = "gpus_differ";                   // a second GPU measured something else
inline constexpr const char* no_issue = "no_issue";                         // a stream that gave no number
inline constexpr const char* takes_turns = "takes_turns";                   // a stream's copies are different opcodes
inline constexpr const char* shares_unit = "shares_unit";                 // one unit serves all sub-partitions of an SM
inline constexpr const char* register_banks = "register_banks";           // they delay a stream's copies
inline constexpr const char* issue_is_lower_bound = "issue_lower_bound";  // by the schedule, and the copies wait
inline constexpr const char* issue_is_upper_bound = "issue_upper_bound";  // the copies come with moves
inline constexpr const char* survey = "survey";                           // a distribution over lines and SMs
inline constexpr const char* no_schedule = "no_schedule";                 // the assembler wrote no stall counts
inline constexpr const char* bank_conflict = "bank_conflict";             // a window reads its registers late
inline constexpr const char* subroutine = "subroutine";                   // in a loop nothing is proven
inline constexpr const char* beside_path = "beside_path";                 // not all of it is on the operand's path
inline constexpr const char* own_path = "own_path";                       // what is not is left out
inline constexpr const char* retry = "retry";                             // an assembler or some launches failed
}  // namespace flag

// The kind of experiment that a record belongs to.
enum class RecordKind { latency, probe, throughput, contention, counters, operand_cost, hazard, in_flight };
const char* to_string(RecordKind kind);
std::optional<RecordKind> record_kind_from(const std::string& name);

// One cell of a table, or one probe, and everything known about it. A number that does not exist is not among the
// metrics; there are no sentinels.
struct Record {
  RecordKind kind = RecordKind::latency;
  std::string ptx;  // the form's spelling; a probe's name
  std::string chapter;
  bool is_core = false;  // whether the form represents those that differ from it only in modifiers
  std::string operand;
  std::string input;
  int level = 0;
  std::vector<Metric> metrics;  // in the order of metric_kinds(), each tag once
  std::vector<Series> series;
  std::vector<Fact> facts;
  std::vector<std::string> flags;  // of namespace flag, each once
  std::vector<std::string> sass;   // opcodes that the PTX instruction became, in program order
  int sass_count = 0;
  sass::Verdict verdict = sass::Verdict::proven;
  std::string note;

  std::optional<Measure> measure;     // of the headline; empty if the record has no number
  std::string consumer;               // what waited for it: producer and consumer belong together (method.md, trap 8)
  std::string differential_consumer;  // of the differential, if it is not the headline's
  std::string recipe;                 // hash of the PTX of all its kernels: same recipe, same experiment
  std::string code;  // of a throughput: the same for equal machine code, launched alike; empty if nothing was found
  int code_of_level = -1;  // of the level whose record this is, because the first windows' code was the same; -1: none
  int run = 0;             // id of the Run that made it; 0 if the table has only one run
  std::size_t gpu = 0;     // number of the GPU in its invocation; not stored, since the run says which GPU it was
  std::vector<WindowRecord> windows;

  // Empty for a metric that the record does not have.
  std::optional<double> number(std::string_view tag) const;
  const Metric* find(std::string_view tag) const;
  // Sets, or with an empty value removes, a metric. `tag` must be of a MetricKind.
  void set(std::string_view tag, std::optional<double> value, std::vector<std::string> from = {});
  void add_flag(const char* flag);
  void set_flag(const char* flag, bool is_set);
  bool has_flag(std::string_view flag) const;

  bool operator==(const Record&) const = default;
};

// Leaves the record without a number, for this reason.
void give_up(Record& record, sass::Verdict verdict, const std::string& note);

// Gives the record machine code that proves what it is; an earlier reason to give up no longer holds.
void prove(Record& record, std::vector<std::string> sass);

// Whether running the cell again would give this record again. Not if a kernel faulted or hung, even if it cost only a
// part of the cell, an assembler failed, or hardware counters contradicted themselves: an unrelated process, a full
// host or a broken tool can be the cause, and the next run of the same command tries again. Verdicts say so, of the
// record and of its windows, and flag::retry says what these do not. Notes and reasons are for people.
bool is_final(const Record& record);

// Null if the record has no window of this role.
const WindowRecord* window_of_role(const Record& record, std::string_view role);
// The windows behind the record's headline: those of `cycles`, or of `static` if nothing was measured.
std::vector<const WindowRecord*> backing_windows(const Record& record);

}  // namespace ptxlat::results
