// SPDX-License-Identifier: Apache-2.0
#include "tables/operands.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"
#include "results/json.h"
#include "results/sass_text.h"

namespace ptxlat::tables {

namespace {

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

}  // namespace

void add_name(std::string& list, const std::string& name) {
  if (name.empty()) return;
  if (!list.empty()) list += ' ';
  list += name;
}

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

std::array<std::uint64_t, 2> experiment_of(const results::Record& record) {
  results::Json json = results::to_json_without_windows(record);
  // An interrupted run has made some operands, and the one that continued it, at a different clock, the rest. At a
  // lower level some are in the sample that is made in full.
  for (const char* key : {"operand", "recipe", "run", "elapsed_ns", "code_of_opt"}) json.erase(key);
  Hash hash;
  hash.add(results::to_line(json));
  for (const results::WindowRecord* window : results::backing_windows(record)) {
    hash.add(window->role);
    hash.add(window->cycles.value_or(-1));
    for (const auto& line : results::sass_lines(window->sass)) hash.add(line);
  }
  return hash.wide();
}

results::Record merged(std::vector<results::Record> records) {
  if (records.size() == 1) return std::move(records.front());
  std::vector<SharedWindow> shared;
  for (auto& record : records) add_windows(shared, std::exchange(record.windows, {}), record.operand);
  results::Record row = records.front();
  row.operand.clear();
  row.recipe.clear();
  for (const auto& record : records) {
    add_name(row.operand, record.operand);
    add_name(row.recipe, record.recipe);
    row.code_of_level = std::min(row.code_of_level, record.code_of_level);  // none if any was made in full
  }
  for (SharedWindow& one : shared) {
    if (one.operands.size() != records.size()) {
      for (const std::string& operand : one.operands) add_name(one.window.operand, operand);
    }
    row.windows.push_back(std::move(one.window));
  }
  return row;
}

namespace {

namespace metric = results::metric;

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> of_far = {{{metric::median, metric::far_cycles},
                                                                                  {metric::least, metric::far_least},
                                                                                  {metric::p95, metric::far_p95},
                                                                                  {metric::most, metric::far_most}}};

results::Record without_far(results::Record record) {
  for (const auto& [tag, far] : of_far) record.set(far, std::nullopt);
  record.set(metric::far_share, std::nullopt);
  return record;
}

results::Record far_of(const results::Record& record) {
  auto row = without_far(record);
  for (const auto& [tag, far] : of_far) row.set(tag, record.number(far));
  const double near_cycles = *record.number(metric::cycles), far_cycles = *record.number(metric::far_cycles);
  // The leading witness has the headline's number.
  for (const auto witness : {metric::chain, metric::differential}) {
    if (record.number(witness) == near_cycles) row.set(witness, far_cycles);
  }
  row.set(metric::cycles, far_cycles, record.find(metric::cycles)->from);
  if (const auto elapsed = record.number(metric::elapsed_ns))
    row.set(metric::elapsed_ns, *elapsed * far_cycles / near_cycles);
  return row;
}

std::string with_word(const std::string& input, const char* word) { return input.empty() ? word : input + ", " + word; }

}  // namespace

std::vector<results::Record> humps_apart(results::Record record) {
  std::vector<results::Record> rows;
  if (!record.number(metric::far_cycles) || !record.number(metric::cycles)) {
    rows.push_back(std::move(record));
    return rows;
  }
  rows = {without_far(record), far_of(record)};
  rows[0].input = with_word(record.input, "near");
  rows[1].input = with_word(record.input, "far");
  return rows;
}

}  // namespace ptxlat::tables
