// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/opcode.h"
#include "results/record.h"
#include "tables/column.h"

namespace ptxlat::tables {

// opcodes.csv. A number of an opcode is a line here, and where it is computed (opcodes/opcode_rows.cpp).
const Columns<results::Opcode>& opcode_columns();

// A row of throughput.csv.gz: machine code, by the form that stands for it.
//   opcode  if several take turns, the one that is alone here; else empty
//   sass    all of its code: "IADD3;IMAD", or "IADD3|IMAD.IADD" if they take turns
struct FormThroughput {
  std::string ptx, input, opcode;
  int level = 0;
  std::string pattern;
  std::optional<double> throughput, low, high;
  std::string unit;
  std::optional<double> multiply_adds, bytes, interval, saturates_at;
  std::string sass;
  std::size_t sass_count = 0;
  sass::Verdict verdict = sass::Verdict::proven;
  std::string note;
};
const Columns<FormThroughput>& form_throughput_columns();
FormThroughput form_throughput(const results::Record& record);

// A row of contention.csv: two opcodes.
struct ContentionRow {
  std::string a, b;
  std::optional<double> score, floor;
  sass::Verdict verdict = sass::Verdict::proven;
  std::string note;
};
const Columns<ContentionRow>& contention_columns();
ContentionRow contention_row(const results::Record& record);

// A row of operand_costs.csv.
struct OperandCostRow {
  std::string opcode, operand;
  std::optional<double> interval, cost;
  sass::Verdict verdict = sass::Verdict::proven;
  std::string note;
};
const Columns<OperandCostRow>& operand_cost_columns();
OperandCostRow operand_cost_row(const results::Record& record);

// A row of counters.csv.
struct CounterRow {
  std::string opcode, pipe;
  std::optional<double> share;
};
const Columns<CounterRow>& counter_columns();

// A row of series/throughput.csv.gz, and of series/in_flight.csv.gz.
struct WarpsRow {
  std::string opcode;
  std::optional<double> warps, value;
};
const Columns<WarpsRow>& warps_columns();
struct InFlightRow {
  std::string opcode;
  std::optional<double> chains, warps, throughput, latency;
  std::string example;
};
const Columns<InFlightRow>& in_flight_columns();

}  // namespace ptxlat::tables
