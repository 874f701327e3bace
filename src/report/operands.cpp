// SPDX-License-Identifier: Apache-2.0
#include "report/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/hash.h"
#include "base/parallel.h"
#include "results/json.h"
#include "results/sass_text.h"

namespace ptxlat::report {

namespace {

void add_name(std::string& list, const std::string& name) {
  if (name.empty()) return;
  if (!list.empty()) list += ' ';
  list += name;
}

// A window and the operands of the records that have it.
struct SharedWindow {
  results::WindowRecord window;
  std::vector<std::string> operands;
};

void add_windows(std::vector<SharedWindow>& shared, std::vector<results::WindowRecord> windows,
                 const std::string& operand) {
  for (auto& window : windows) {
    auto same = std::find_if(shared.begin(), shared.end(), [&](const SharedWindow& s) { return s.window == window; });
    if (same == shared.end()) same = shared.insert(shared.end(), {std::move(window), {}});
    same->operands.push_back(operand);
  }
}

// Takes the records' windows, which are most of a table.
results::Record merged(const std::vector<results::Record*>& records) {
  if (records.size() == 1) return std::move(*records.front());
  std::vector<SharedWindow> shared;
  for (auto* record : records) add_windows(shared, std::exchange(record->windows, {}), record->operand);
  results::Record row = *records.front();
  row.operand.clear();
  row.recipe.clear();
  for (const auto* record : records) {
    add_name(row.operand, record->operand);
    add_name(row.recipe, record->recipe);
    row.code_of_level = std::min(row.code_of_level, record->code_of_level);  // none if any was made in full
  }
  for (SharedWindow& one : shared) {
    if (one.operands.size() != records.size()) {
      for (const std::string& operand : one.operands) add_name(one.window.operand, operand);
    }
    row.windows.push_back(std::move(one.window));
  }
  return row;
}

}  // namespace

std::vector<std::string_view> operands_of(std::string_view list) {
  std::vector<std::string_view> operands;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(' ', begin), list.size());
    if (end > begin) operands.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  if (operands.empty()) operands.emplace_back();
  return operands;
}

std::string operand_list(const std::vector<std::string_view>& operands) {
  std::string list;
  for (const std::string_view operand : operands) add_name(list, std::string(operand));
  return list;
}

std::string experiment_text(const results::Record& record) {
  results::Json json = results::to_json_without_windows(record);
  // An interrupted run has made some operands, and the one that continued it, at a different clock, the rest. At a
  // lower level some are in the sample that is made in full.
  for (const char* key : {"operand", "recipe", "run", "elapsed_ns", "code_of_opt"}) json.erase(key);
  auto text = results::to_line(json);
  for (const results::WindowRecord* window : results::backing_windows(record)) {
    text += fmt::format("\n{} {}", window->role, window->cycles.value_or(-1));
    for (const auto& line : results::sass_lines(window->sass)) text += '\n' + line;
  }
  return text;
}

std::vector<results::Record> with_merged_operands(std::vector<results::Record> records) {
  using Identity = std::array<std::uint64_t, 2>;  // the hash of their text, which has their code
  std::vector<Identity> identities(records.size());
  in_parallel(records.size(), [&](std::size_t i) {
    if (records[i].operand.empty()) return;
    Hash hash;
    hash.add(experiment_text(records[i]));
    identities[i] = hash.wide();
  });
  std::vector<std::vector<results::Record*>> rows;
  std::map<Identity, std::size_t> known;
  for (std::size_t i = 0; i < records.size(); ++i) {
    auto& record = records[i];
    if (record.operand.empty()) {  // cannot share its row
      rows.push_back({&record});
      continue;
    }
    const auto [row, is_new] = known.emplace(identities[i], rows.size());
    if (is_new) rows.emplace_back();
    rows[row->second].push_back(&record);
  }
  std::vector<results::Record> made;
  made.reserve(rows.size());
  for (const auto& row : rows) made.push_back(merged(row));
  return made;
}

}  // namespace ptxlat::report
