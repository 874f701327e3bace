// SPDX-License-Identifier: Apache-2.0
#include "reproduce/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <random>

#include "reproduce/expected.h"
#include "tables/number.h"
#include "tables/operands.h"

namespace ptxlat::reproduce {

namespace {

namespace metric = results::metric;

// Whether the table has the machine code of the windows behind one of its numbers.
bool can_be_compared(const tables::Cell& cell) {
  for (const auto tag : {metric::cycles, metric::issue}) {
    const auto windows = tables::windows_of(cell, tag);
    const bool has_code = std::none_of(windows.begin(), windows.end(),
                                       [](const tables::CellWindow* window) { return window->code.empty(); });
    if (!windows.empty() && has_code) return true;
  }
  return false;
}

bool has_number(const results::Record& record) { return record.number(metric::cycles) || record.number(metric::issue); }

// The class of inputs of a row that is one of two humps (tables/operands.h).
std::string without_hump(const std::string& input) {
  for (const std::string_view hump : {"near", "far"}) {
    if (input == hump) return {};
    if (input.ends_with(fmt::format(", {}", hump))) return input.substr(0, input.size() - hump.size() - 2);
  }
  return input;
}

bool makes(const latency::CellPlan& cell, const StoredRow& row) {
  return cell.variant.form->ptx == row.record.ptx && cell.variant.operand == row.operand &&
         cell.variant.input->name == row.input && cell.level == row.record.level;
}

// The row of the new record; if it has two humps, the same one.
const results::Record* row_of(const std::vector<results::Record>& rows, const StoredRow& stored) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const results::Record& row) {
    return row.input == stored.record.input ||
           (rows.size() == 1 && stored.input == row.input && !stored.record.input.ends_with("far"));
  });
  return found == rows.end() ? nullptr : &*found;
}

// A number of the row, compared.
struct Number {
  bool is_proven = false;  // the table has the machine code of all its windows
  bool has_same_code = false;
  bool holds = false;
  std::string what;  // "cycles 4, now 5"
};

Number compare_number(const StoredRow& stored, const results::Record& again, std::string_view tag,
                      const std::vector<std::string>& changed_code) {
  const auto& metric = *stored.record.find(tag);
  const auto is_changed = [&](const std::string& role) {
    return std::find(changed_code.begin(), changed_code.end(), role) != changed_code.end();
  };
  const auto is_stored = [&](const std::string& role) {
    const auto* window = results::window_of_role(stored.record, role);
    return window != nullptr && !window->sass.empty();
  };
  const auto now = again.number(tag);
  const double tolerance = std::max(tolerance_of(stored.record, stored.operand), tolerance_of(again, stored.operand));
  Number number;
  number.is_proven = !metric.from.empty() && std::all_of(metric.from.begin(), metric.from.end(), is_stored);
  number.has_same_code = std::none_of(metric.from.begin(), metric.from.end(), is_changed);
  number.holds = now && std::abs(metric.value - *now) <= tolerance;
  number.what = fmt::format("{} {}, now {}", tag, tables::decimal(metric.value),
                            now ? tables::decimal(now) : std::string("none"));
  return number;
}

}  // namespace

std::vector<StoredRow> sample_of(const tables::Table& table, std::size_t size, std::uint64_t seed) {
  std::vector<const tables::Cell*> rows, sample;
  for (const auto& cell : table.cells) {
    if (cell.leads && can_be_compared(cell)) rows.push_back(&cell);
  }
  std::mt19937_64 random(seed);
  std::sample(rows.begin(), rows.end(), std::back_inserter(sample), size, random);
  std::vector<StoredRow> stored;
  for (auto& record : tables::whole_records(table, sample)) {
    const auto operand = std::string(tables::operands_of(record.operand).front());
    const auto input = without_hump(record.input);
    stored.push_back({std::move(record), operand, input});
  }
  return stored;
}

std::vector<latency::CellPlan> plan_again(const ptx::LoadedCatalogue& loaded, const std::vector<StoredRow>& rows) {
  std::map<int, std::vector<const isa::Form*>> forms;  // by level
  for (const auto& form : loaded.catalogue.forms) {
    for (const auto& row : rows) {
      auto& of_level = forms[row.record.level];
      if (row.record.ptx == form.ptx && (of_level.empty() || of_level.back() != &form)) of_level.push_back(&form);
    }
  }
  std::vector<latency::CellPlan> plan;
  for (const auto& [level, of_level] : forms) {
    for (auto& cell : latency::plan_cells(loaded, of_level, {level})) {
      if (std::any_of(rows.begin(), rows.end(), [&](const StoredRow& row) { return makes(cell, row); }))
        plan.push_back(std::move(cell));
    }
  }
  return plan;
}

Replayed compare(const StoredRow& row, const results::Record* again) {
  if (again == nullptr) return {Outcome::gone, "the catalogue has no such cell"};
  const auto rows = tables::humps_apart(*again);
  const auto* same = row_of(rows, row);
  if (same == nullptr) return {Outcome::gone, "its latencies are not in two humps now"};
  if (!has_number(*same))
    return {Outcome::gone, fmt::format("{}{}{}", to_string(same->verdict), same->note.empty() ? "" : ", ", same->note)};
  const auto code = changed_windows(row.record, *same);
  std::vector<std::string> differing;
  bool is_compared = false;
  for (const auto tag : {metric::cycles, metric::issue}) {
    if (!row.record.number(tag)) continue;
    const auto number = compare_number(row, *same, tag, code);
    if (!number.is_proven || !number.has_same_code) continue;
    is_compared = true;
    if (!number.holds) differing.push_back(number.what);
  }
  if (!differing.empty()) return {Outcome::differs, fmt::format("{}", fmt::join(differing, ", "))};
  if (!is_compared) return {Outcome::other_code, fmt::format("in {}", fmt::join(code, ", "))};
  return {};
}

}  // namespace ptxlat::reproduce
