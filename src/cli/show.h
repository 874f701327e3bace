// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/selection.h"
#include "isa/form.h"
#include "ptx/skeleton.h"
#include "tables/table.h"

namespace ptxlat::cli {

struct ShowOptions {
  Selection selection;
  std::string name;
  std::vector<std::string> condition;
  std::string table;       // as named; empty: the usual one
  bool has_table = false;  // it was named
  bool assembles = false;  // now, without a table
  std::string plot;        // folder; empty: none
  bool pairs = false;
  std::string format = "text";
};

// The name under which `show` combines the facts of all probes about memory.
inline constexpr const char* memory_name = "memory";

// Each prints what the name stands for in the table of this folder; false if it does not stand for such a thing.
//   show_facts   of a quantity, probe by probe, with all their evidence
//   show_probe   its series and facts, and the machine code of its kernels
//   show_memory  the hierarchy that the table's facts describe
//   show_opcode  the row of opcodes.csv of a SASS opcode
// table: its part with probes
bool show_facts(const ShowOptions& options, const std::string& folder, const tables::Table& table);
bool show_probe(const ShowOptions& options, const std::string& folder, const tables::Table& table);
bool show_memory(const ShowOptions& options, const std::string& folder, const tables::Table& table);
bool show_opcode(const ShowOptions& options, const std::string& folder);

// A form: of the table, or assembled now.
void show_form(const ShowOptions& options, const ptx::LoadedCatalogue& loaded, const isa::Form& form);

}  // namespace ptxlat::cli
