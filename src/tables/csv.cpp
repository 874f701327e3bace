// SPDX-License-Identifier: Apache-2.0
#include "tables/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/csv_row.h"
#include "base/error.h"
#include "base/file.h"
#include "base/limits.h"
#include "tables/gzip.h"
#include "tables/number.h"
#include "tables/operands.h"
#include "tables/table.h"
#include "tables/table_files.h"

namespace ptxlat::tables {

namespace {

// The columns of a table are texts, then metrics, with the headline's measure and consumer after it, then texts again.
const std::vector<std::string> first_columns = {"ptx", "chapter", "operand", "input", "opt"};
const std::vector<std::string> last_columns = {"sass", "sass_count", "verdict", "note"};
constexpr std::string_view levels_column = "levels", measure_column = "measure", consumer_column = "consumer";

const std::string forms_header = "ptx,opt,row,reason,note";

std::vector<std::string_view> middle_columns() {
  std::vector<std::string_view> columns{levels_column};
  for (const results::MetricKind& kind : results::metric_kinds()) {
    if (!kind.use.is_column) continue;
    columns.push_back(kind.tag);
    if (kind.tag == results::metric::cycles) columns.insert(columns.end(), {measure_column, consumer_column});
  }
  return columns;
}

std::string header() {
  return fmt::format("{},{},{}", fmt::join(first_columns, ","), fmt::join(middle_columns(), ","),
                     fmt::join(last_columns, ","));
}

}  // namespace

void write_csv_field(std::ostream& out, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out << field;
    return;
  }
  out << '"';
  for (const char c : field) {
    if (c == '"') out << '"';
    out << c;
  }
  out << '"';
}

void write_csv_line(std::ostream& out, const std::vector<std::string>& fields) {
  const char* separator = "";
  for (const auto& field : fields) {
    out << separator;
    write_csv_field(out, field);
    separator = ",";
  }
  out << '\n';
}

namespace {

// For quoting an arbitrary field in an error.
std::string shortened(const std::string& field) {
  constexpr std::size_t limit = 40;
  return field.size() <= limit ? field : field.substr(0, limit) + "…";
}

// Reads the cells of a row one after another; anything unreadable is the row's damage.
struct RowReader {
  const std::vector<std::string>& fields;
  std::string damage;
  std::size_t next = 0;

  std::string text() { return fields[next++]; }

  std::optional<double> number() {
    const std::string& field = fields[next++];
    if (field.empty()) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool is_whole = error == std::errc() && end == field.data() + field.size();
    if (!is_whole || !std::isfinite(value)) damage = "not a number: " + shortened(field);
    return value;
  }

  int level_in(std::string_view word) {
    const int value = word.size() == 2 && word[0] == 'O' ? word[1] - '0' : -1;
    if (value < 0 || value > highest_level) damage = "not a level such as O3: " + shortened(std::string(word));
    return value;
  }
  int level() { return level_in(fields[next++]); }
  std::vector<int> levels() {
    std::vector<int> list;
    for (const std::string_view word : operands_of(fields[next++])) list.push_back(level_in(word));
    if (std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) != list.end())
      damage = "levels are not in ascending order";
    return list;
  }

  int integer() {
    const std::string& field = fields[next++];
    int value = 0;
    const char* const end = field.data() + field.size();
    const auto [read, error] = std::from_chars(field.data(), end, value);
    if (error != std::errc() || read != end) damage = "not an integer: " + shortened(field);
    return value;
  }

  std::vector<std::string> opcodes() {
    std::vector<std::string> list;
    const std::string& field = fields[next++];
    for (std::size_t begin = 0; begin < field.size();) {
      const std::size_t end = std::min(field.find(';', begin), field.size());
      list.push_back(field.substr(begin, end - begin));
      begin = end + 1;
    }
    return list;
  }

  std::optional<results::Measure> measure() {
    const std::string& field = fields[next++];
    const std::optional<results::Measure> value = results::measure_from(field);
    if (!value && !field.empty()) damage = "unknown measure: " + shortened(field);
    return value;
  }

  sass::Verdict verdict() {
    const std::string& field = fields[next++];
    const std::optional<sass::Verdict> value = sass::verdict_from(field);
    if (!value) damage = "unknown verdict: " + shortened(field);
    return value.value_or(sass::Verdict::proven);
  }
};

TableRow row_from(RowReader& row, const std::vector<std::string_view>& middle) {
  TableRow made;
  results::Record& record = made.record;
  record.ptx = row.text();
  record.chapter = row.text();
  record.operand = row.text();
  record.input = row.text();
  record.level = row.level();
  made.levels = {record.level};
  for (const auto column : middle) {
    if (column == levels_column) {
      made.levels = row.levels();
    } else if (column == measure_column) {
      record.measure = row.measure();
    } else if (column == consumer_column) {
      record.consumer = row.text();
    } else {
      record.set(column, row.number());
    }
  }
  record.sass = row.opcodes();
  record.sass_count = row.integer();
  record.verdict = row.verdict();
  record.note = row.text();
  return made;
}

// The columns in the header between those that every table has; unknown columns are damage. Older tables have fewer.
std::vector<std::string_view> middle_in(const std::vector<std::string>& header_fields, std::string& damage) {
  const auto& fields = header_fields;
  const std::size_t texts = first_columns.size() + last_columns.size();
  std::vector<std::string_view> middle;
  if (fields.size() < texts || !std::equal(first_columns.begin(), first_columns.end(), fields.begin()) ||
      !std::equal(last_columns.rbegin(), last_columns.rend(), fields.rbegin())) {
    damage = fmt::format("the columns are not those of a latency table, which are {}", header());
    return middle;
  }
  std::vector<std::string_view> known{levels_column, measure_column, consumer_column};
  for (const results::MetricKind& kind : results::metric_kinds()) known.push_back(kind.tag);
  for (std::size_t i = first_columns.size(); i < fields.size() - last_columns.size(); ++i) {
    const auto column = std::find(known.begin(), known.end(), fields[i]);
    if (column == known.end()) {
      damage = fmt::format("the column {} is not one of a latency table, which are {}", shortened(fields[i]), header());
    } else if (std::find(middle.begin(), middle.end(), *column) != middle.end()) {
      damage = fmt::format("the column {} appears twice", fields[i]);
    } else {
      middle.push_back(*column);
    }
  }
  return middle;
}

}  // namespace

std::string csv_columns() { return header(); }

void write_csv_fields(std::ostream& out, const Cell& cell, const std::vector<int>& levels) {
  static const auto middle = middle_columns();
  const results::Record& record = cell.record;
  for (const std::string* text : {&record.ptx, &record.chapter, &record.operand, &record.input}) {
    write_csv_field(out, *text);
    out << ',';
  }
  out << 'O' << record.level << ',';
  for (const auto column : middle) {
    if (column == levels_column) {
      out << fmt::format("O{}", fmt::join(levels, " O"));
    } else if (column == measure_column) {
      if (record.measure) out << to_string(*record.measure);
    } else if (column == consumer_column) {
      write_csv_field(out, record.consumer);
    } else {
      out << decimal(record.number(column));
    }
    out << ',';
  }
  write_csv_field(out, fmt::format("{}", fmt::join(record.sass, ";")));
  out << ',' << record.sass_count << ',' << to_string(record.verdict) << ',';
  write_csv_field(out, record.note);
}

void write_csv(std::ostream& out, const Table& table) {
  out << csv_columns() << '\n';
  for (const Cell& cell : table.cells) {
    if (!cell.leads) continue;
    write_csv_fields(out, cell, cell.levels);
    out << '\n';
  }
}

namespace {

// Reads the header and every row, which must have as many fields. Both calls report their own damage:
// read_header(fields, damage), read_fields(row).
template <typename ReadHeader, typename ReadFields>
void read_rows(std::istream& in, const std::string& name, ReadHeader read_header, ReadFields read_fields) {
  std::vector<std::string> fields;
  std::string damage;
  int line = 1;
  const auto fail_if_damaged = [&](int at) {
    if (damage.empty()) return;
    throw Error(ExitCode::storage, fmt::format("{}:{}: {}", name, at, damage), "Export the table again.");
  };

  read_csv_row(in, fields, line, damage);
  fail_if_damaged(1);
  read_header(fields, damage);
  const std::size_t width = fields.size();
  fail_if_damaged(1);
  std::size_t rows = 0;
  for (int row_line = line; read_csv_row(in, fields, line, damage); row_line = line) {
    if (damage.empty() && fields.size() != width) {
      damage = fmt::format("{} fields instead of {}", fields.size(), width);
    }
    if (++rows > most_rows) damage = fmt::format("more than {} rows", most_rows);
    fail_if_damaged(row_line);
    RowReader row{fields, {}};
    read_fields(row);
    damage = row.damage;
    fail_if_damaged(row_line);
  }
}

}  // namespace

std::vector<std::vector<std::string>> read_csv_lines(std::istream& in, const std::string& name,
                                                     const std::string& columns) {
  std::vector<std::vector<std::string>> lines;
  read_rows(
      in, name,
      [&](const auto& fields, std::string& damage) {
        if (fmt::format("{}", fmt::join(fields, ",")) != columns) damage = "the columns are not " + columns;
      },
      [&](const RowReader& row) { lines.push_back(row.fields); });
  return lines;
}

std::vector<std::vector<std::string>> read_csv_file(const std::filesystem::path& file, const std::string& columns) {
  std::error_code ignored;
  auto found = file;
  if (!std::filesystem::exists(found, ignored)) found += ".gz";
  if (!std::filesystem::exists(found, ignored)) return {};
  auto text = read_file(found);
  if (found.extension() == ".gz") {
    try {
      text = gunzip(text);
    } catch (const std::runtime_error& error) {
      throw Error(ExitCode::storage, fmt::format("{}: {}", found.string(), error.what()));
    }
  }
  std::istringstream in(std::move(text));
  return read_csv_lines(in, found.string(), columns);
}

std::optional<double> number_in_field(const std::string& field, const std::filesystem::path& file) {
  const auto value = number_in(field);
  if (!value && !field.empty())
    throw Error(ExitCode::storage, fmt::format("{}: {} is not a number", file.string(), field));
  return value;
}

std::vector<TableRow> read_csv(std::istream& in, const std::string& name) {
  std::vector<TableRow> rows;
  std::vector<std::string_view> middle;
  read_rows(
      in, name, [&](const auto& fields, std::string& damage) { middle = middle_in(fields, damage); },
      [&](RowReader& row) { rows.push_back(row_from(row, middle)); });
  return rows;
}

void write_forms(std::ostream& out, const std::vector<Spelling>& spellings) {
  out << forms_header << '\n';
  for (const Spelling& spelling : spellings) {
    write_csv_field(out, spelling.ptx);
    out << ",O" << spelling.level << ',';
    write_csv_field(out, spelling.row);
    out << ',' << spelling.reason << ',';
    write_csv_field(out, spelling.note);
    out << '\n';
  }
}

std::vector<Spelling> read_forms(std::istream& in, const std::string& name) {
  std::vector<Spelling> spellings;
  read_rows(
      in, name,
      [](const auto& fields, std::string& damage) {
        if (fmt::format("{}", fmt::join(fields, ",")) != forms_header) damage = "the columns are not " + forms_header;
      },
      [&](RowReader& row) {
        spellings.push_back({row.text(), row.level(), row.text(), row.text(), row.text()});
      });
  return spellings;
}

}  // namespace ptxlat::tables
