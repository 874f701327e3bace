// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "base/error.h"
#include "catalogue_here.h"
#include "fuzz.h"
#include "machine/curves.h"
#include "machine/opcode_rows.h"
#include "machine/pair_rows.h"
#include "report/opcode_files.h"
#include "report/pair_files.h"
#include "report/zstd.h"

namespace ptxlat::fuzz {

// The records of opcodes or pairs, their provenance, and a pairs.csv. What `--reread` and `show --pairs` do with them.
void opcodes(std::string_view input) {
  static const ptx::LoadedCatalogue loaded{part_of_catalogue(), {}};
  const auto parts = parts_of(input, 3);
  const auto packed = report::zstd(parts[0]);
  const auto folder = scratch_file("opcodes/opcodes.jsonl.zst", packed).parent_path();
  for (const auto& [name, content] : {std::pair("pairs.jsonl.zst", packed),
                                      {"opcodes.json", parts[1]},
                                      {"pairs.json", parts[1]},
                                      {"pairs.csv", parts[2]}})
    scratch_file(std::string("opcodes/") + name, content);
  std::ostringstream out;
  try {
    const auto pairs = report::read_pairs(folder);
    report::write_pair_text(out, pairs);
    machine::hazard_of_opcodes(pairs);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the records may still be right
  }
  auto pairs = report::read_pair_files(folder);
  pairs.pairs = machine::pair_rows(machine::schedules_of(pairs.hazards), pairs.hazards);
  report::write_pair_files(scratch_folder() / "written", pairs);
  auto files = report::read_opcode_files(folder);
  for (auto& record : files.throughput) machine::read_again(record);
  files.opcodes = machine::opcode_rows(
      machine::opcodes_measured(loaded, files.throughput),
      {files.throughput, files.contention, files.counters, files.operand_costs, files.in_flight, files.throughput});
  report::write_opcode_files(scratch_folder() / "written", files);
  report::write_opcode_text(out, files.opcodes);
}

}  // namespace ptxlat::fuzz
