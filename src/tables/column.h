// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "results/opcode.h"
#include "sass/verdict.h"
#include "tables/csv.h"
#include "tables/number.h"
#include "tables/page.h"

namespace ptxlat::tables {

// How a column is shown in tables for people, if it is.
enum class Shown { no, text, number, code };

// When two fields are the same to `compare`, here and on the site.
inline constexpr double same_throughput = 0.01;  // as a share of the larger one
enum class Same { not_compared, exactly, within_1_percent, in_pipes };
bool are_same(Same rule, const std::string& a, const std::string& b);
const char* to_string(Same rule);

// A column of a file, described once. csv, tables for people, `compare`, the site, exports and docs/columns.md take it
// from here.
//   unit, description  for docs/columns.md; the description is a sentence
//   text, read         the field of a row, and the same back
//   is_required        a file without it is of another kind; other columns may be missing, as in a file from before
//                      they existed, and are empty then
//   same               when two fields are the same
template <class Row>
struct Column {
  std::string name, unit, description;
  std::function<std::string(const Row&)> text;
  std::function<void(Row&, const Field&)> read;
  Shown shown = Shown::text;
  bool is_required = false;
  Same same = Same::not_compared;

  Column as(Shown how) const {
    auto copy = *this;
    copy.shown = how;
    return copy;
  }
  Column required() const {
    auto copy = *this;
    copy.is_required = true;
    return copy;
  }
  Column compared(Same rule) const {
    auto copy = *this;
    copy.same = rule;
    return copy;
  }
};
template <class Row>
using Columns = std::vector<Column<Row>>;

// The field of a value, and the same back.
inline std::string field_text(const std::string& value) { return value; }
inline std::string field_text(std::optional<double> value) { return decimal(value); }
inline std::string field_text(std::size_t value) { return std::to_string(value); }
inline std::string field_text(sass::Verdict value) { return to_string(value); }
inline std::string field_text(results::Arrival value) { return to_string(value); }
inline std::string field_text(results::Held value) { return to_string(value); }
inline void read_field(std::string& value, const Field& field) { value = field.text; }
inline void read_field(std::optional<double>& value, const Field& field) { value = number_in(field); }
inline void read_field(std::size_t& value, const Field& field) { value = count_in(field); }
void read_field(sass::Verdict& value, const Field& field);
void read_field(results::Arrival& value, const Field& field);
void read_field(results::Held& value, const Field& field);

template <class Row, class Value>
Row row_of_member(Value Row::*);

template <auto member, auto... inner, class Row>
auto& member_of(Row& row) {
  if constexpr (sizeof...(inner) == 0)
    return row.*member;
  else
    return member_of<inner...>(row.*member);
}

// A column that is a member of the row, or a member of that: column<&TableFact::fact, &Fact::unit>(…).
template <auto member, auto... inner>
auto column(std::string name, std::string unit, std::string description) {
  using Item = decltype(row_of_member(member));
  using Value = std::remove_cvref_t<decltype(member_of<member, inner...>(std::declval<Item&>()))>;
  constexpr bool is_number = std::is_same_v<Value, std::optional<double>> || std::is_same_v<Value, std::size_t>;
  return Column<Item>{std::move(name),
                      std::move(unit),
                      std::move(description),
                      [](const Item& row) { return field_text(member_of<member, inner...>(row)); },
                      [](Item& row, const Field& field) { read_field(member_of<member, inner...>(row), field); },
                      is_number ? Shown::number : Shown::text};
}

template <class Row>
const Column<Row>& column_named(const Columns<Row>& columns, const std::string& name) {
  return *std::find_if(columns.begin(), columns.end(), [&](const auto& column) { return column.name == name; });
}

template <class Row>
std::vector<std::string> names_of(const Columns<Row>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  return names;
}

template <class Row>
std::vector<std::string> fields_of(const Columns<Row>& columns, const Row& row) {
  std::vector<std::string> fields;
  for (const auto& column : columns) fields.push_back(column.text(row));
  return fields;
}

template <class Row>
void write_rows(std::ostream& out, const Columns<Row>& columns, const std::vector<Row>& rows) {
  write_csv_line(out, names_of(columns));
  for (const auto& row : rows) write_csv_line(out, fields_of(columns, row));
}
template <class Row>
std::string csv_of(const Columns<Row>& columns, const std::vector<Row>& rows) {
  std::ostringstream out;
  write_rows(out, columns, rows);
  return std::move(out).str();
}

// The rows of a csv. `name` is the file's in errors. Error{storage} with the line if it is damaged.
template <class Row>
std::vector<Row> read_rows(std::istream& in, const std::string& name, const Columns<Row>& columns) {
  std::vector<KnownColumn> known;
  for (const auto& column : columns) known.push_back({column.name, column.is_required});
  std::vector<Row> rows;
  read_csv(in, name, known, [&](const CsvRow& row) {
    auto& made = rows.emplace_back();
    for (std::size_t i = 0; i < row.fields.size(); ++i) columns[row.columns[i]].read(made, {row, row.fields[i]});
  });
  return rows;
}
// The same of a file, or of its compressed one (with .gz behind its name); none if there is neither.
template <class Row>
std::vector<Row> read_rows(const std::filesystem::path& file, const Columns<Row>& columns) {
  auto text = read_csv_text(file);
  if (!text) return {};
  std::istringstream in(std::move(text->text));
  return read_rows(in, text->found, columns);
}

// "saturates at" of `saturates_at`
std::string heading_of(std::string name);

template <class Row>
Grid grid_of(const Columns<Row>& columns, const std::vector<Row>& rows) {
  Grid grid;
  for (const auto& column : columns) {
    if (column.shown != Shown::no) grid.columns.push_back({heading_of(column.name), column.shown == Shown::number});
  }
  for (const auto& row : rows) {
    auto& fields = grid.rows.emplace_back();
    for (const auto& column : columns) {
      if (column.shown == Shown::no) continue;
      auto text = column.text(row);
      fields.push_back(column.shown == Shown::code && !text.empty() ? code(std::move(text)) : Span(std::move(text)));
    }
  }
  return grid;
}

}  // namespace ptxlat::tables
