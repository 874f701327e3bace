// SPDX-License-Identifier: Apache-2.0
#include "report/pair_files.h"

#include <sstream>

#include "base/file.h"
#include "report/csv.h"
#include "report/gzip.h"
#include "report/number.h"
#include "report/page.h"
#include "report/record_lines.h"

namespace ptxlat::report {

namespace {

constexpr const char* records_name = "pairs.jsonl.gz";
constexpr const char* runs_name = "pairs.json";

std::string csv_of(const std::vector<results::Pair>& pairs) {
  std::ostringstream out;
  out << "producer,consumer,slot,schedule,measured,hazard,verdict,note\n";
  for (const auto& row : pairs)
    write_csv_line(out, {row.producer, row.consumer, row.slot, decimal(row.schedule), decimal(row.measured),
                         decimal(row.hazard), row.verdict, row.note});
  return out.str();
}

}  // namespace

void write_pair_files(const std::filesystem::path& folder, const PairFiles& files) {
  replace_files(folder, {{"pairs.csv", csv_of(files.pairs)},
                         {records_name, gzip(lines_of(files.hazards))},
                         {runs_name, provenance_of(files.hazards, files.runs)}});
}

PairFiles read_pair_files(const std::filesystem::path& folder) {
  return {{}, read_record_lines(folder / records_name), read_provenance(folder / runs_name)};
}

void write_pair_text(std::ostream& out, const std::vector<results::Pair>& pairs) {
  Grid grid{{{"producer"}, {"consumer"}, {"slot"}, {"schedule", true}, {"measured", true}, {"hazard", true}, {"verdict"},
             {"note"}},
            {}};
  for (const auto& row : pairs)
    grid.rows.push_back({code(row.producer), code(row.consumer), row.slot, decimal(row.schedule), decimal(row.measured),
                         decimal(row.hazard), row.verdict, row.note});
  Page page(out, {});
  page.table(grid);
}

}  // namespace ptxlat::report
