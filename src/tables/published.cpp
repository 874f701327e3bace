// SPDX-License-Identifier: Apache-2.0
#include "tables/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/metric.h"
#include "results/note.h"
#include "tables/folder.h"

namespace ptxlat::tables {

namespace {
constexpr double same = 0.03;  // of the published number: what `saturates_at` takes for saturated, too
}

const Columns<PublishedThroughput>& published_columns() {
  using Item = PublishedThroughput;
  static const Columns<Item> columns = {
      column<&Item::ptx>("ptx", "", "The form.").required(),
      column<&Item::sm>("sm", "", "The architecture: `sm_90`.").required(),
      column<&Item::throughput>("throughput", "per cycle of an SM", "What the vendor documents.").required(),
      column<&Item::unit>("unit", "", "What it counts.").required(),
      column<&Item::source>("source", "", "Where it is documented.").required()};
  return columns;
}

std::vector<PublishedThroughput> read_published_throughputs(const std::filesystem::path& file) {
  auto published = read_rows(file, published_columns());
  for (const auto& one : published) {
    if (one.throughput.value_or(0) <= 0) throw damaged(file, "a throughput of " + one.ptx + " is not positive");
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
    if (std::abs(own - *known->throughput) <= same * *known->throughput) continue;
    results::add_note(record.note, fmt::format("the vendor documents {} ({})", *known->throughput, known->source));
  }
}

}  // namespace ptxlat::tables
