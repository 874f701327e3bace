// SPDX-License-Identifier: Apache-2.0
#include "tables/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/note.h"
#include "results/work_unit.h"
#include "tables/csv.h"
#include "tables/number.h"
#include "tables/table_files.h"

namespace ptxlat::tables {

namespace {
constexpr double same = 0.03;  // of the published number: what `saturates_at` takes for saturated, too
}

std::vector<PublishedThroughput> read_published_throughputs(const std::filesystem::path& file) {
  std::vector<PublishedThroughput> published;
  for (auto& fields : read_csv_file(file, published_throughput_columns)) {
    const auto number = number_in(fields[2]);
    if (!number || *number <= 0) throw damaged(file, fmt::format("{} is not a throughput", fields[2]));
    published.push_back(
        {std::move(fields[0]), std::move(fields[1]), *number, std::move(fields[3]), std::move(fields[4])});
  }
  return published;
}

void note_published(std::vector<results::Record>& throughput, const std::string& target,
                    std::vector<PublishedThroughput> published, const std::vector<Spelling>& spellings) {
  for (auto& one : published) {
    const auto spelling = std::find_if(spellings.begin(), spellings.end(), [&](const Spelling& other) {
      return other.ptx == one.ptx && !other.row.empty();
    });
    if (spelling != spellings.end()) one.ptx = spelling->row;
  }
  const auto sm = target.substr(0, target.find_last_of("0123456789") + 1);
  for (auto& record : throughput) {
    const auto results = record.number(results::metric::throughput);
    // Opcodes that take turns are the form together.
    if (!results || !record.operand.empty()) continue;
    const auto unit = results::work_unit_of(record.ptx);
    const auto known = std::find_if(published.begin(), published.end(), [&](const auto& one) {
      return one.ptx == record.ptx && one.sm == sm && one.unit == unit.name;
    });
    if (known == published.end()) continue;
    const double own = *results / unit.threads;
    if (std::abs(own - known->throughput) <= same * known->throughput) continue;
    results::add_note(record.note, fmt::format("the vendor documents {} ({})", known->throughput, known->source));
  }
}

}  // namespace ptxlat::tables
