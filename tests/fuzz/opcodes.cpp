// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "base/error.h"
#include "catalogue_here.h"
#include "fuzz.h"
#include "loops/loop.h"
#include "opcodes/opcode_rows.h"
#include "pairs/pair_rows.h"
#include "tables/compression.h"
#include "tables/folder.h"
#include "tables/opcode_files.h"
#include "tables/pair_files.h"

namespace ptxlat::fuzz {

// The records of opcodes or pairs, their provenance, and a pairs.csv. What `--reread` and `show --pairs` do with them.
void opcodes(std::string_view input) {
  static const ptx::LoadedCatalogue loaded{part_of_catalogue(), {}};
  const auto parts = parts_of(input, 3);
  const auto packed = tables::zstd(parts[0]);
  const auto folder = scratch_file("opcodes/opcodes.jsonl.zst", packed).parent_path();
  for (const auto& [name, content] : {std::pair("pairs.jsonl.zst", packed),
                                      {"opcodes.json", parts[1]},
                                      {"pairs.json", parts[1]},
                                      {"pairs.csv", parts[2]}})
    scratch_file(std::string("opcodes/") + name, content);
  std::ostringstream out;
  try {
    const auto pairs = tables::read_rows(folder / tables::pairs_name, tables::pair_columns());
    tables::write_pair_text(out, pairs);
    pairs::hazard_of_opcodes(pairs);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the records may still be right
  }
  auto pairs = tables::read_table(folder, {tables::Part::hazards}).pairs;
  pairs.pairs = pairs::pair_rows(pairs::schedules_of(pairs.hazards), pairs.hazards);
  tables::write_pair_files(scratch_folder() / "written", pairs);
  auto files = tables::read_table(folder, {tables::Part::opcode_records}).opcode_records;
  for (auto& record : files.throughput) loops::read_again(record);
  files.opcodes = opcodes::opcode_rows(
      opcodes::opcodes_measured(loaded, files.throughput),
      {files.throughput, files.contention, files.counters, files.operand_costs, files.in_flight, files.throughput});
  tables::write_opcode_files(scratch_folder() / "written", files);
  tables::write_opcode_text(out, files.opcodes);
}

}  // namespace ptxlat::fuzz
