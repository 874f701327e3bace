// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "results/record.h"
#include "tables/opcode_columns.h"
#include "tables/shared_rows.h"

namespace ptxlat::tables {

// The files of `ptxlat opcodes` in a table's folder (docs/opcodes.md).
struct OpcodeNumbers {
  std::vector<results::Opcode> opcodes;        // opcodes.csv
  std::vector<FormThroughput> forms;           // throughput.csv.gz
  std::vector<Spelling> spellings = {};        // throughput_forms.csv.gz
  std::vector<ContentionRow> contention = {};  // contention.csv
};

// The pipe of each opcode that has one.
class Pipes {
 public:
  Pipes() = default;
  explicit Pipes(const std::vector<results::Opcode>& opcodes);

  // If the opcode has no line, but those of its family (the name up to the first point) all have one pipe: that.
  std::string of(const std::string& opcode) const;
  // The pipes of several opcodes, each once: "alu+xu".
  std::string of(const std::vector<std::string>& opcodes) const;

 private:
  std::unordered_map<std::string, std::string> of_opcode_;
  std::unordered_map<std::string, std::string> of_family_;  // empty if its opcodes have different ones
};

// The columns that a latency table's row has besides its own; empty if they are not known.
//   pattern  if the throughput is of the whole GPU (results/access_pattern.h): that of an SM could not be told
struct RowThroughput {
  std::optional<double> throughput, saturates_at;
  std::string unit, pipe, pattern;
};
// "results per cycle and SM", "results per cycle of the GPU (own lines)"
std::string per_cycle(const RowThroughput& throughput);

// The one place that joins throughputs and pipes with the rows of a latency table.
class RowThroughputs {
 public:
  RowThroughputs() = default;
  RowThroughputs(const OpcodeNumbers& numbers, const std::vector<Spelling>& spellings);

  // A spelling at these levels has that of its machine code, else that of the form whose latencies it shares. Code that
  // is one opcode alone has the opcode's number, at any level.
  RowThroughput of(const std::string& ptx, const std::vector<int>& levels, const std::vector<std::string>& sass) const;

 private:
  const FormThroughput* form(const std::string& ptx, const std::vector<int>& levels) const;

  std::unordered_map<std::string, FormThroughput> forms_;
  std::unordered_map<std::string, results::Opcode> opcodes_;
  // The rows of spellings that share another form's, in either table.
  std::unordered_map<std::string, std::string> throughput_rows_, latency_rows_;
  Pipes pipes_;
};

// The rows of throughput.csv.gz, and where each form has its own: as for latencies, forms of one opcode with the same
// machine code share those of one of them (tables/shared_rows.h). Without machine code, what is equal is why there is
// none.
//   records    in their order, without the code that they were compared by
//   spellings  in the order of the forms
struct SharedThroughputs {
  std::vector<results::Record> records;
  std::vector<Spelling> spellings;
};
SharedThroughputs share_throughputs(std::vector<results::Record> records);

// The number of spellings for which each row stands, its own among them.
std::map<std::string, std::size_t> spelling_counts(const std::vector<Spelling>& spellings);

}  // namespace ptxlat::tables
