// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <vector>

#include "base/file.h"
#include "results/opcode.h"
#include "results/record.h"
#include "results/run.h"
#include "tables/shared_rows.h"

namespace ptxlat::tables {

// Opcodes that differ only in modifiers which change nothing that was measured, by their numbers: the shortest name of
// each group first, groups in the order of those. The opcodes of a group have the same name up to the first point, the
// same unit, pipe, arrival and saturates_at, throughputs and latencies that any two of them have in common to 1 %, and
// equal counters, latencies to pipes and hazards where two have them.
std::vector<std::vector<std::size_t>> alike_opcodes(const std::vector<results::Opcode>& opcodes);

// The results of `ptxlat opcodes` in `folder` (docs/opcodes.md): opcodes.csv and opcodes.md, a row each;
// contention.csv, their pairs; counters.csv, the pipes that count them; throughput.csv.gz, the forms that stand for
// machine code; throughput_forms.csv.gz, which of them each form shares; series/throughput.csv.gz, their curves over
// warps; series/in_flight.csv.gz, over warps and chains; opcodes.jsonl.zst, all records with their machine code;
// opcodes.json, the runs. Each file is replaced as a whole and all of them only when every byte is on the disk.
// Error{storage} if they cannot be written.
struct OpcodeFiles {
  std::vector<results::Opcode> opcodes;
  std::vector<results::Record> throughput, contention, counters, operand_costs, in_flight;
  std::vector<results::Run> runs;
  std::vector<Spelling> spellings = {};
};
void write_opcode_files(const Folder& folder, const OpcodeFiles& files);

inline constexpr const char* opcode_records_name = "opcodes";  // and .jsonl.zst
inline constexpr const char* opcode_runs_name = "opcodes.json";
inline constexpr const char* opcodes_name = "opcodes.csv";
inline constexpr const char* packed_opcodes_name = "opcodes.csv.gz";  // if it was compressed
inline constexpr const char* contention_name = "contention.csv";
inline constexpr const char* throughput_name = "throughput.csv.gz";
inline constexpr const char* throughput_forms_name = "throughput_forms.csv.gz";

// The rows, for people.
void write_opcode_text(std::ostream& out, const std::vector<results::Opcode>& opcodes);

}  // namespace ptxlat::tables
