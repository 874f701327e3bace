// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "simulator/ask.h"
#include "simulator/target.h"

namespace ptxlat::simulator {

inline constexpr const char* evidence_name = "evidence.csv";
inline constexpr const char* left_out_name = "left_out.csv";

// An exported option with the rows behind it.
//   base     what the configuration that it is laid over has; empty if it has none
//   answers  of its queries, in their order
struct Exported {
  std::string file, value, base;
  const Option* option = nullptr;
  std::vector<Answer> answers;
};

struct LeftOut {
  std::string file, option, base, reason;
};

// The files of a simulator, by their paths.
struct Export {
  std::vector<NamedContent> files;
  std::vector<Exported> exported;  // `option` points into the target
  std::vector<LeftOut> left_out;
};

// The configurations to lay the export over, by the names of their files.
using Bases = std::map<std::string, std::string>;

// Asks every query of the target. `made_by` says in the files' first comment what made them. A base whose name is not
// that of a file which can be laid over one is Error{usage}.
Export export_tables(const Target& target, const tables::Table& table, const Bases& bases, const std::string& made_by);

// evidence.csv: file, option, value, formula, base, name, query, matches, source, row, figure, unit; a line per query.
std::string evidence_csv(const Export& exported);
// left_out.csv: file, option, base, reason.
std::string left_out_csv(const Export& exported);

}  // namespace ptxlat::simulator
