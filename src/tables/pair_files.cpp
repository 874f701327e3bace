// SPDX-License-Identifier: Apache-2.0
#include "tables/pair_files.h"

#include <sstream>

#include "base/file.h"
#include "tables/csv.h"
#include "tables/number.h"
#include "tables/page.h"
#include "tables/record_lines.h"

namespace ptxlat::tables {

namespace {

constexpr const char* pair_records_name = "pairs";
constexpr const char* runs_name = "pairs.json";

std::string csv_of(const std::vector<results::Pair>& pairs) {
  std::ostringstream out;
  out << pair_columns << "\n";
  for (const auto& row : pairs)
    write_csv_line(out, {row.producer, row.consumer, row.slot, decimal(row.schedule), decimal(row.measured),
                         decimal(row.hazard), row.verdict, row.note});
  return out.str();
}

}  // namespace

void write_pair_files(const Folder& folder, const PairFiles& files) {
  replace_files(folder, {{pairs_name, csv_of(files.pairs)},
                         lines_file(pair_records_name, files.hazards),
                         {runs_name, provenance_of(files.hazards, files.runs)}});
  remove_file(folder, packed_pairs_name);  // an earlier one's, if it was compressed
  remove_old_lines(folder, pair_records_name);
}

PairFiles read_pair_files(const std::filesystem::path& folder) {
  return {{}, read_record_lines(folder, pair_records_name), read_pair_runs(folder)};
}

std::vector<results::Run> read_pair_runs(const std::filesystem::path& folder) {
  return read_provenance(folder / runs_name);
}

std::vector<results::Pair> read_pairs(const std::filesystem::path& folder) {
  const auto file = folder / pairs_name;
  std::vector<results::Pair> rows;
  for (const auto& fields : read_csv_file(file, pair_columns)) {
    const auto number = [&](std::size_t column) { return number_in_field(fields[column], file); };
    rows.push_back({fields[0], fields[1], fields[2], number(3), number(4), number(5), fields[6], fields[7]});
  }
  return rows;
}

void write_pair_text(std::ostream& out, const std::vector<results::Pair>& pairs) {
  Grid grid{{{"producer"},
             {"consumer"},
             {"slot"},
             {"schedule", true},
             {"measured", true},
             {"hazard", true},
             {"verdict"},
             {"note"}},
            {}};
  for (const auto& row : pairs)
    grid.rows.push_back({code(row.producer), code(row.consumer), row.slot, decimal(row.schedule), decimal(row.measured),
                         decimal(row.hazard), row.verdict, row.note});
  Page page(out, {});
  page.table(grid);
}

}  // namespace ptxlat::tables
