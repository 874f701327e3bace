// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/record.h"
#include "snippet/flow.h"
#include "snippet/method.h"

namespace ptxlat::snippet {

// The results of one toolchain: a record for each pair and level, level by level, including pairs without a dependence.
//   gpu         "NVIDIA H200"; empty if the numbers come from the schedule
//   card        the table of the measured card that estimates come from; empty if there is none
//   conditions  that the numbers hold for (snippet/choices.h)
//   throughput  of the whole snippet, a record for each level; empty if it was not requested
struct Measured {
  std::string toolchain, target, gpu, nvrtc;
  const Snippet* snippet = nullptr;
  std::vector<results::Record> records;
  std::vector<results::Record> throughput = {};
  std::string card = {}, conditions = {};
  std::map<std::string, std::string> limits = {};  // result → "pipe xu at 16 a clock", at the highest level
};

// Of any record.
int highest_level(const std::vector<results::Record>& records);

// The record of a pair whose result does not depend on its source.
results::Record without_dependence(const Pair& pair, int level);

// For rejected code, adds where the instruction that the assembler's log names is in the user's text: the log only has
// the line in the kernel.
void name_place(results::Record& record, const Snippet& snippet, const std::string& log);

// A text table for each toolchain; a csv; and JSON with everything, including windows (docs/measure.md).
//   number   of the snippet
//   version  of the program
void write_text(std::ostream& out, const std::vector<Measured>& measured);
void write_csv_header(std::ostream& out);
void write_csv(std::ostream& out, const std::vector<Measured>& measured, std::size_t number);
void write_json(std::ostream& out, const std::string& text, const std::string& version,
                const std::vector<Measured>& measured);
// For a snippet that cannot be measured.
void write_json_error(std::ostream& out, const std::string& text, const std::string& version,
                      const std::string& message);

}  // namespace ptxlat::snippet
