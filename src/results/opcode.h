// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ptxlat::results {

// The share of an opcode's instructions that a pipe's hardware counter counts: 1 if all go there, 0.5 if the hardware
// alternates between two pipes.
struct PipeShare {
  std::string pipe;
  double share = 0;

  bool operator==(const PipeShare&) const = default;
};

// "alu", or "fmaheavy:0.5 fmalite:0.5": a share other than 1 is written with two digits. The same back;
// std::invalid_argument if it is not such a list.
std::string text_of(const std::vector<PipeShare>& shares);
std::vector<PipeShare> shares_in(const std::string& text);

// Cycles that an opcode's interval grows by with a different kind of operand: "constant", "immediate", "uniform" or
// "predicate" (opcodes/operand_cost.h).
struct OperandCost {
  std::string operand;
  double cycles = 0;

  bool operator==(const OperandCost&) const = default;
};

// "constant:0 immediate:0.5", with at most two digits. The same back; std::invalid_argument likewise.
std::string text_of(const std::vector<OperandCost>& costs);
std::vector<OperandCost> costs_in(const std::string& text);

// Cycles from an opcode to its nearest consumer on a pipe.
struct PipeLatency {
  std::string pipe;
  double cycles = 0;

  bool operator==(const PipeLatency&) const = default;
};

// "alu:5 fma:4.5", and the same back; std::invalid_argument likewise.
std::string text_of(const std::vector<PipeLatency>& latencies);
std::vector<PipeLatency> latencies_in(const std::string& text);

// How the result of an opcode reaches its consumer: after a number of cycles that the assembler knows, or when the
// hardware says so.
enum class Arrival { none, fixed, scoreboard };
const char* to_string(Arrival arrival);  // empty for none
std::optional<Arrival> arrival_from(const std::string& text);

// A SASS opcode on a GPU; a row of opcodes.csv.
//   name          with its modifiers: "IMAD.WIDE.U32"
//   pipe          the group of opcodes that it contends with, named after its members; if no pair shows it, the pipes
//                 that count most of it; else empty
//   counters      the pipes that count it, by name; empty if hardware counters were not read
//   stands_for_it the opcode that was paired with the others instead of it; usually its own name
//   throughput    per cycle of an SM, in the unit (results/metric.h); multiply_adds of a matrix instruction likewise
//   interval      cycles between two such instructions in a sub-partition
//   saturates_at  the smallest number of warps that reaches the throughput
//   in_flight     the fewest instructions of an SM in flight, warps times independent chains, that reach it
//   arrival       none if it has no result in a register
//   latency       the smallest `cycles` of the latency table's rows that are this opcode alone
//   latencies     to the nearest consumer on each pipe, its own first
//   hazard        the lowest distance to its nearest consumer, in cycles, at which all values are right
//                 (results/opcode.h)
//   operand_costs how the interval changes with a different kind of operand
//   forms         how many PTX spellings became only this opcode
//   example       the shortest of them
//   levels        at which the latency table's rows have it, ascending
//   versions      of ptxas whose tables of this GPU have it, oldest first
struct Opcode {
  std::string name;
  std::string pipe;
  std::vector<PipeShare> counters;
  std::string stands_for_it;
  std::string unit;
  std::optional<double> throughput, multiply_adds, bytes, interval, saturates_at, in_flight, latency, hazard;
  Arrival arrival = Arrival::none;
  std::vector<PipeLatency> latencies;
  std::vector<OperandCost> operand_costs;
  std::size_t forms = 0;
  std::vector<int> levels;
  std::vector<std::string> versions;
  std::string example, note;

  bool operator==(const Opcode&) const = default;
};

// Two SASS opcodes of which the second depends on the first; a row of pairs.csv.
//   slot      where the consumer reads the result: "a", "b", "c" … (source operands, conditions not counted),
//             "predicate", "carry", "guard", "a+b" for several. "waw" and "war": it overwrites the producer's result,
//             or its source
//   schedule  cycles that the assembler leaves between them at least; empty if it leaves the wait to a scoreboard
//   measured  cycles from issue to issue in that schedule
//   hazard    the lowest distance, in cycles, at which all values are right
//   verdict   docs/opcodes.md
//   is_patched  whether a patched window, or why there is none, is the reason in the note; not in the csv
struct Pair {
  std::string producer, consumer, slot;
  std::optional<double> schedule, measured, hazard;
  std::string verdict;
  std::string note;
  bool is_patched = false;

  bool operator==(const Pair&) const = default;
};

// What holds a consumer back until the result of an opcode arrives: a scoreboard, or the hardware although the
// assembler plans with less.
enum class Held { scoreboard, interlock };
const char* to_string(Held held);
std::optional<Held> held_from(const std::string& text);

// When the result of a SASS opcode arrives, where its schedule does not say it; a row of arrivals.csv.
//   cycles     from its issue until its consumer gets it, with the usual values of the forms that have it
//   low, high  the range over windows
//   windows    that show it
struct ArrivalTime {
  std::string opcode;
  Held held = Held::scoreboard;
  std::optional<double> cycles, low, high;
  std::size_t windows = 0;

  bool operator==(const ArrivalTime&) const = default;
};

inline bool is_overwriting(const Pair& pair) { return pair.slot == "waw" || pair.slot == "war"; }

}  // namespace ptxlat::results
