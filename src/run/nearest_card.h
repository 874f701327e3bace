// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/target.h"
#include "line/line.h"
#include "results/opcode.h"

namespace ptxlat::run {

// The folder of the tables that came with the program; empty if it has none.
std::filesystem::path shipped_tables();

// The measured card that is nearest to a target, for estimates without a GPU: of the tables that came with the program,
// one of the same architecture, else the one with the nearest number. None if no table has arrivals.csv, or for an
// architecture before Volta, whose instructions wait differently.
std::optional<line::NearestCard> nearest_card(const isa::Target& target);
// The same, or the card of this table's folder if one is named. Error{unknown_name} if that has no arrivals.csv.
std::optional<line::NearestCard> chosen_card(const std::string& folder, const isa::Target& target);

// The pipe that a code fills first, and how often in a clock an SM can execute the code in a thread for that pipe.
struct PipeLimit {
  std::string pipe;
  double rate = 0;
};

// Throughputs of the opcodes of a card: none if it is of another architecture than the target.
class OpcodeRates {
 public:
  OpcodeRates() = default;
  OpcodeRates(const line::NearestCard& card, const isa::Target& target);

  // None if the opcodes of some code are not all known.
  std::optional<PipeLimit> limit_of(const std::vector<std::string>& sass) const;

 private:
  std::map<std::string, results::Opcode> opcodes_;
};

}  // namespace ptxlat::run
