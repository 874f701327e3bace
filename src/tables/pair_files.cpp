// SPDX-License-Identifier: Apache-2.0
#include "tables/pair_files.h"

#include "base/file.h"
#include "tables/page.h"
#include "tables/record_lines.h"

namespace ptxlat::tables {

const Columns<results::Pair>& pair_columns() {
  using results::Pair;
  static const Columns<Pair> columns = {
      column<&Pair::producer>("producer", "", "The opcode that makes a value.").as(Shown::code).required(),
      column<&Pair::consumer>("consumer", "", "The opcode that needs it.").as(Shown::code).required(),
      column<&Pair::slot>(
          "slot", "",
          "Where the consumer reads it: `a`, `b`, `c` … (source operands, conditions not counted), "
          "`predicate`, `carry`, `guard`, `a+b` for several; or, if it overwrites the producer's result "
          "or source, `waw` or `war`.")
          .required(),
      column<&Pair::schedule>("schedule", "cycles",
                              "What the assembler leaves between them at least; empty if it leaves the wait to a "
                              "scoreboard."),
      column<&Pair::measured>("measured", "cycles", "From issue to issue in that schedule."),
      column<&Pair::hazard>("hazard", "cycles", "The lowest distance at which all values are right."),
      column<&Pair::verdict>("verdict", "", "How the hazard compares with the schedule (docs/pairs.md)."),
      column<&Pair::note>("note", "", "Why there is no hazard, or anything else worth knowing.")};
  return columns;
}

const Columns<results::ArrivalTime>& arrival_columns() {
  using results::ArrivalTime;
  static const Columns<ArrivalTime> columns = {
      column<&ArrivalTime::opcode>("opcode", "", "The SASS opcode that makes the result.").as(Shown::code).required(),
      column<&ArrivalTime::held>("held", "",
                                 "What holds a consumer back until then: a `scoreboard`; or an `interlock`, the "
                                 "hardware, although the assembler plans with fewer cycles.")
          .required(),
      column<&ArrivalTime::cycles>("cycles", "cycles", "From its issue until its consumer gets it.").required(),
      column<&ArrivalTime::low>("low", "cycles", "The lowest of all windows that show it."),
      column<&ArrivalTime::high>("high", "cycles", "The highest of them."),
      column<&ArrivalTime::windows>("windows", "", "How many windows show it.")};
  return columns;
}

void write_pair_files(const Folder& folder, const PairFiles& files) {
  replace_files(folder, {{pairs_name, csv_of(pair_columns(), files.pairs)},
                         {arrivals_name, csv_of(arrival_columns(), files.arrivals)},
                         lines_file(pair_records_name, files.hazards),
                         {pair_runs_name, provenance_of(files.hazards, files.runs)}});
  remove_file(folder, packed_pairs_name);  // an earlier one's, if it was compressed
}

void write_pair_text(std::ostream& out, const std::vector<results::Pair>& pairs) {
  Page(out, {}).table(grid_of(pair_columns(), pairs));
}

}  // namespace ptxlat::tables
