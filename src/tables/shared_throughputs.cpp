// SPDX-License-Identifier: Apache-2.0
#include "tables/shared_throughputs.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"

namespace ptxlat::tables {

namespace {

// Records that are equal here share their rows.
RowOutline row_of(const results::Record& record, std::size_t number) {
  const bool has_number = record.number(results::metric::throughput).has_value();
  RowOutline outline{{number}, 0, record.ptx, record.level, record.is_core, record.verdict, has_number, record.note};
  Hash hash;
  for (const auto& text : {opcode_in(record.ptx), std::string_view(record.input), std::string_view(record.operand),
                           std::string_view(record.code)})
    hash.add(text);
  if (record.code.empty()) {
    // Before machine 10, nothing said what was the same code.
    if (!record.windows.empty()) hash.add(record.ptx);
    hash.add(record.verdict);
    hash.add(record.note);
    for (const auto& opcode : record.sass) hash.add(opcode);
  }
  outline.code = hash.wide();
  return outline;
}

}  // namespace

SharedThroughputs share_throughputs(std::vector<results::Record> records) {
  std::vector<RowOutline> outlines;
  for (std::size_t i = 0; i < records.size(); ++i) outlines.push_back(row_of(records[i], i));
  auto [rows, spellings] = share_rows(outlines);
  SharedThroughputs shared{{}, std::move(spellings)};
  for (const auto& row : rows) {
    auto& record = shared.records.emplace_back(std::move(records[row.outline]));
    record.code.clear();
  }
  return shared;
}

std::map<std::string, std::size_t> spelling_counts(const std::vector<Spelling>& spellings) {
  std::map<std::string, std::size_t> counts;
  for (const auto& spelling : spellings) {
    auto& count = counts.emplace(spelling.row, 1).first->second;
    if (spelling.row != spelling.ptx) ++count;
  }
  return counts;
}

}  // namespace ptxlat::tables
