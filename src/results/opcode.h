#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ptxlat::results {

// Instructions that each copy of an opcode counts as on a pipe of the hardware's counters: 1 where every one goes
// there, 0.5 where the hardware takes turns between two pipes.
struct PipeShare {
  std::string pipe;
  double share = 0;

  bool operator==(const PipeShare&) const = default;
};

// "alu", or "fmaheavy:0.5 fmalite:0.5": a share that is not 1 is given with two digits.
std::string text_of(const std::vector<PipeShare>& shares);

// What is known of a SASS opcode on a GPU; a row of opcodes.csv.
//   name          with its modifiers: "IMAD.WIDE.U32"
//   pipe          the group of opcodes that it meets, named after its members; empty where no pair says
//   counters      the pipes that count it, by their names; empty where hardware counters were not read
//   stands_for_it the opcode that was paired with the others in its stead; its own name as a rule
//   throughput    results of threads in a cycle of an SM
//   interval      cycles between two of them in a sub-partition
//   saturates_at  fewest warps that reach the throughput
//   latency       the least `cycles` of the latency table's rows that are this opcode alone
//   forms         spellings of PTX that became it and nothing else, the shortest first
struct Opcode {
  std::string name;
  std::string pipe;
  std::vector<PipeShare> counters;
  std::string stands_for_it;
  std::optional<double> throughput, interval, saturates_at, latency;
  std::vector<std::string> forms;
  std::string note;

  bool operator==(const Opcode&) const = default;
};

}  // namespace ptxlat::results
