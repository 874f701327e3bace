// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tables/opcode_numbers.h"

namespace ptxlat::compare {

// A quantity of opcodes or forms that both tables have.
//   compared  how many have it in both tables
//   equal     how many of them agree
struct OpcodeAgreement {
  std::string quantity;
  std::size_t compared = 0, equal = 0;
};

// A quantity that differs.
//   subject  an opcode, or a form with its class of inputs; the opcode that is alone if several take turns
//   a, b     as the tables have it; empty if one does not
struct OpcodeDifference {
  std::string subject, quantity, a, b;
  std::optional<double> change() const;  // b − a
  std::optional<double> ratio() const;   // b / a if both are positive
};

struct OpcodeComparison {
  std::vector<OpcodeAgreement> agreements;        // in the order of `rows`
  std::vector<OpcodeDifference> rows;             // pipe, counters, throughput, latency, hazard, throughput of form
  std::vector<std::string> only_in_a, only_in_b;  // opcodes
};

inline constexpr const char* form_throughput = "throughput of form";
// By pattern of access; equal if the ranges of their launches overlap.
inline constexpr const char* gpu_throughput = "throughput of GPU";

// Opcodes matched by name, forms by spelling, inputs, level and opcode. Pipes are the same if their names are;
// counters, if they are the same pipes, whatever their shares; throughputs, within 1 %; latencies and hazards, exactly.
// A quantity that one table has of no opcode is not compared.
OpcodeComparison compare_opcodes(const tables::OpcodeNumbers& a, const tables::OpcodeNumbers& b);

}  // namespace ptxlat::compare
