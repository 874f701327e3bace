// SPDX-License-Identifier: Apache-2.0
#include "reproduce/expected.h"

#include <algorithm>

#include "latency/samples.h"
#include "tables/operands.h"
#include "tables/shared_rows.h"

namespace ptxlat::reproduce {

namespace {

namespace metric = results::metric;

bool has_operand(std::string_view list, const std::string& operand) {
  const auto operands = tables::operands_of(list);
  return std::find(operands.begin(), operands.end(), operand) != operands.end();
}

// The witness whose number is the headline: from the windows that the table names, or by value if it names none (a
// csv).
std::string_view headline_witness(const results::Record& stored) {
  const auto* cycles = stored.find(metric::cycles);
  if (cycles == nullptr) return {};
  if (!cycles->from.empty()) return cycles->from.front() == "differential" ? metric::differential : metric::chain;
  return stored.number(metric::chain) == cycles->value ? metric::chain : metric::differential;
}

const latency::ReproducedNumber* find_number(const latency::ReproducedCell& cell, std::string_view tag) {
  const auto found = std::find_if(cell.numbers.begin(), cell.numbers.end(),
                                  [&](const latency::ReproducedNumber& number) { return number.tag == tag; });
  return found == cell.numbers.end() ? nullptr : &*found;
}

}  // namespace

const tables::Cell* find_cell(const tables::Table& table, const results::Record& cell) {
  const auto near = cell.input.empty() ? std::string("near") : cell.input + ", near";
  const auto found = std::find_if(table.cells.begin(), table.cells.end(), [&](const tables::Cell& one) {
    const auto& record = one.record;
    return record.ptx == cell.ptx && record.level == cell.level && has_operand(record.operand, cell.operand) &&
           (record.input == cell.input || record.input == near);
  });
  return found == table.cells.end() ? nullptr : &*found;
}

std::vector<std::string> changed_windows(const results::Record& stored, const results::Record& made) {
  std::vector<std::string> changed;
  for (const auto& window : stored.windows) {
    const bool is_of_another = !window.operand.empty() && !has_operand(window.operand, made.operand);
    if (window.sass.empty() || is_of_another) continue;
    const auto* here = results::window_of_role(made, window.role);
    if (here != nullptr && tables::code_shape(*here) != tables::code_shape(window)) changed.push_back(window.role);
  }
  return changed;
}

double tolerance_of(const results::Record& record, const std::string& operand) {
  // The observed difference between the medians of two surveys is smaller (latency/samples.h).
  constexpr double of_median = 0.02;
  if (const auto median = record.number(metric::median)) return of_median * *median;
  double widest = 0;
  for (const auto& window : record.windows) {
    if (window.operand.empty() || has_operand(window.operand, operand))
      widest = std::max(widest, latency::spread_of(window.samples));
  }
  return widest;
}

std::vector<ExpectedNumber> expected_by_table(const latency::ReproducedCell& cell, const results::Record& stored) {
  std::vector<ExpectedNumber> numbers;
  const auto witness = headline_witness(stored);
  const double tolerance = tolerance_of(stored, cell.record.operand);
  for (const auto tag :
       {metric::cycles, metric::differential, metric::chain, metric::issue, metric::overhead, metric::bracket}) {
    const auto value = stored.number(tag);
    const auto* number = find_number(cell, tag == metric::cycles ? witness : tag);
    if (!value || number == nullptr) continue;
    ExpectedNumber expected{*number, Check::equal, *value, tolerance, true, false};
    expected.number.tag = tag;
    const bool is_differential = (tag == metric::cycles ? witness : tag) == metric::differential;
    if (is_differential && stored.has_flag(results::flag::own_path)) expected.number.constant -= cell.beside;
    expected.is_surveyed = stored.number(metric::median) && (tag == metric::cycles || tag == witness);
    expected.counts = tolerance == 0 || expected.is_surveyed || tag == metric::cycles;
    numbers.push_back(std::move(expected));
  }
  return numbers;
}

std::vector<ExpectedNumber> expected_by_schedule(const latency::ReproducedCell& cell) {
  std::vector<ExpectedNumber> numbers;
  for (const auto& number : cell.numbers) {
    ExpectedNumber expected{number, Check::nothing, number.by_schedule.value_or(0), 0, true, false};
    if (number.by_schedule) expected.check = number.schedule_is_lower_bound ? Check::at_least : Check::equal;
    // Copies wait for their pipe, which stall counts may not show.
    if (number.by_schedule && number.tag == metric::issue) expected.check = Check::at_least;
    numbers.push_back(std::move(expected));
  }
  return numbers;
}

}  // namespace ptxlat::reproduce
