// SPDX-License-Identifier: Apache-2.0
#include "tables/opcode_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "sass/opcodes.h"
#include "tables/latency_columns.h"
#include "tables/opcode_files.h"

namespace ptxlat::tables {

Pipes::Pipes(const std::vector<results::Opcode>& opcodes) {
  for (const auto& line : opcodes) {
    if (line.pipe.empty()) continue;
    of_opcode_.emplace(line.name, line.pipe);
    const auto [family, is_new] = of_family_.emplace(sass::family_of(line.name), line.pipe);
    if (!is_new && family->second != line.pipe) family->second.clear();
  }
}

std::string Pipes::of(const std::string& opcode) const {
  if (const auto found = of_opcode_.find(opcode); found != of_opcode_.end()) return found->second;
  const auto family = of_family_.find(std::string(sass::family_of(opcode)));
  return family == of_family_.end() ? "" : family->second;
}

std::string Pipes::of(const std::vector<std::string>& opcodes) const {
  std::set<std::string> pipes;
  for (const auto& opcode : opcodes) {
    std::istringstream in(of(opcode));
    for (std::string pipe; std::getline(in, pipe, '+');) pipes.insert(pipe);
  }
  std::string text;
  for (const auto& pipe : pipes) text += (text.empty() ? "" : "+") + pipe;
  return text;
}

std::string per_cycle(const RowThroughput& throughput) {
  return throughput.pattern.empty() ? throughput.unit + " per cycle and SM"
                                    : fmt::format("{} per cycle of the GPU ({})", throughput.unit, throughput.pattern);
}

namespace {

// Opcodes that take turns reach the form's throughput together, and an SM's own number says more than the GPU's, whose
// first pattern is the usual one.
bool is_better(const FormThroughput& one, const FormThroughput& other) {
  return std::pair(!one.pattern.empty(), !one.opcode.empty()) <
         std::pair(!other.pattern.empty(), !other.opcode.empty());
}

}  // namespace

RowThroughputs::RowThroughputs(const OpcodeNumbers& numbers, const std::vector<Spelling>& spellings)
    : pipes_(numbers.opcodes) {
  for (const auto& form : numbers.forms) {
    if (!form.throughput) continue;
    const auto [place, is_new] = forms_.emplace(form.ptx, form);
    if (!is_new && is_better(form, place->second)) place->second = form;
  }
  for (const auto& line : numbers.opcodes) opcodes_.emplace(line.name, line);
  const auto add = [](const std::vector<Spelling>& from, auto& rows) {
    for (const auto& spelling : from) {
      if (!spelling.row.empty() && spelling.row != spelling.ptx) rows[spelling.ptx] = spelling.row;
    }
  };
  add(numbers.spellings, throughput_rows_);
  add(spellings, latency_rows_);
}

const FormThroughput* RowThroughputs::form(const std::string& ptx, const std::vector<int>& levels) const {
  const auto row = throughput_rows_.find(ptx);
  const auto found = forms_.find(row == throughput_rows_.end() ? ptx : row->second);
  if (found == forms_.end()) return nullptr;
  const bool is_there = std::find(levels.begin(), levels.end(), found->second.level) != levels.end();
  return is_there ? &found->second : nullptr;
}

RowThroughput RowThroughputs::of(const std::string& ptx, const std::vector<int>& levels,
                                 const std::vector<std::string>& sass) const {
  RowThroughput row;
  row.pipe = pipes_.of(sass);
  const auto* found = form(ptx, levels);
  const auto shared = latency_rows_.find(ptx);
  if (found == nullptr && shared != latency_rows_.end()) found = form(shared->second, levels);
  if (found != nullptr) {
    row.throughput = found->throughput;
    row.saturates_at = found->saturates_at;
    row.unit = found->unit;
    row.pattern = found->pattern;
    row.pipe = pipes_.of(words_in(found->sass, ";|"));
    return row;
  }
  const auto alone = sass.size() == 1 ? opcodes_.find(sass.front()) : opcodes_.end();
  if (alone == opcodes_.end() || !alone->second.throughput) return row;
  row.throughput = alone->second.throughput;
  row.saturates_at = alone->second.saturates_at;
  row.unit = alone->second.unit;
  return row;
}

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
