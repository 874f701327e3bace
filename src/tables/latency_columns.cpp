// SPDX-License-Identifier: Apache-2.0
#include "tables/latency_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/csv.h"
#include "base/text.h"

namespace ptxlat::tables {

namespace {

using results::Record;

Column<Cell> metric_column(const results::MetricKind& kind) {
  return {std::string(kind.tag),
          std::string(kind.unit),
          fmt::format("The {}.", kind.description),
          [tag = kind.tag](const Cell& cell) { return decimal(cell.record.number(tag)); },
          [tag = kind.tag](Cell& cell, const Field& field) { cell.record.set(tag, number_in(field)); },
          Shown::number};
}

Column<Cell> measure_column() {
  return {"measure", "", "Which time `cycles` is (in a static table, `static`). Empty if there is no number.",
          [](const Cell& cell) -> std::string { return cell.record.measure ? to_string(*cell.record.measure) : ""; },
          [](Cell& cell, const Field& field) {
            cell.record.measure = results::measure_from(field.text);
            if (!cell.record.measure && !field.text.empty()) field.fail("unknown measure: " + field.text);
          }};
}

Column<Cell> level_of_cell() {
  return {"opt", "", "The assembler's optimisation level; the highest if several share the row.",
          [](const Cell& cell) { return fmt::format("O{}", cell.record.level); },
          [](Cell& cell, const Field& field) {
            cell.record.level = level_in(field);
            if (cell.levels.empty()) cell.levels = {cell.record.level};
          }};
}

Column<Cell> opcodes_of_cell() {
  return {"sass",
          "",
          "The opcodes that the PTX instruction became, in program order.",
          [](const Cell& cell) { return fmt::format("{}", fmt::join(cell.record.sass, ";")); },
          [](Cell& cell, const Field& field) { cell.record.sass = words_in(field.text, ";"); },
          Shown::code};
}

Column<Cell> opcode_count() {
  return {"sass_count",
          "",
          "The number of these opcodes.",
          [](const Cell& cell) { return std::to_string(cell.record.sass_count); },
          [](Cell& cell, const Field& field) { cell.record.sass_count = static_cast<int>(count_in(field)); },
          Shown::number};
}

}  // namespace

const Columns<Cell>& latency_columns() {
  static const auto columns = [] {
    constexpr auto record = &Cell::record;
    Columns<Cell> made{
        column<record, &Record::ptx>("ptx", "", "The form: its PTX spelling, or the name of a CUDA C function.")
            .required(),
        column<record, &Record::chapter>("chapter", "", "The form's chapter in the catalogue.").required(),
        column<record, &Record::operand>("operand", "", "The source operands on the dependence path.").required(),
        column<record, &Record::input>("input", "", "The class of the input values.").required(),
        level_of_cell().required(),
        levels_column<&Cell::levels>("levels", "All levels that share the row.")};
    for (const auto& kind : results::metric_kinds()) {
      if (kind.use.is_column) made.push_back(metric_column(kind));
      if (kind.tag == results::metric::cycles) {
        made.push_back(measure_column());
        made.push_back(column<record, &Record::consumer>("consumer", "", "The instruction that waited."));
      }
    }
    made.push_back(opcodes_of_cell().required());
    made.push_back(opcode_count().required());
    made.push_back(
        column<record, &Record::verdict>("verdict", "", "`proven`, or why there is no proven number.").required());
    made.push_back(column<record, &Record::note>("note", "", "Anything else worth knowing.").required());
    return made;
  }();
  return columns;
}

const Columns<Spelling>& spelling_columns() {
  static const Columns<Spelling> columns = {
      column<&Spelling::ptx>("ptx", "", "The form.").required(),
      level_column<&Spelling::level>("opt", "The level.").required(),
      column<&Spelling::row>("row", "", "The `ptx` of the rows with its numbers; empty if there is none.").required(),
      column<&Spelling::reason>("reason", "", "The verdict that says why there is no number; empty if there is one.")
          .required(),
      column<&Spelling::note>("note", "", "For a form without a row, what it needs, or the assembler's message.")
          .required()};
  return columns;
}

Columns<Cell> columns_for(const std::vector<Cell>& cells) {
  auto columns = latency_columns();
  const bool has_estimates = std::any_of(cells.begin(), cells.end(), [](const Cell& cell) {
    return cell.leads && cell.record.number(results::metric::estimate);
  });
  if (!has_estimates)
    std::erase_if(columns, [](const auto& column) { return column.name.starts_with(results::metric::estimate); });
  return columns;
}

void write_csv(std::ostream& out, const Table& table) {
  const auto columns = columns_for(table.cells);
  write_csv_line(out, names_of(columns));
  for (const auto& cell : table.cells) {
    if (cell.leads) write_csv_line(out, fields_of(columns, cell));
  }
}

}  // namespace ptxlat::tables
