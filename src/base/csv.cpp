// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/limits.h"

namespace ptxlat {

namespace {

[[noreturn]] void fail_at(const std::string& name, int line, const std::string& damage) {
  throw Error(ExitCode::storage, fmt::format("{}:{}: {}", name, line, damage), "Export the table again.");
}

std::string column_names(const std::vector<KnownColumn>& columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  return fmt::format("{}", fmt::join(names, ","));
}

// The number of each field's column among the known ones.
std::vector<std::size_t> columns_in(const std::vector<std::string>& header, const std::vector<KnownColumn>& known,
                                    std::string& damage) {
  std::vector<std::size_t> columns;
  for (const auto& column : known) {
    if (column.is_required && std::find(header.begin(), header.end(), column.name) == header.end())
      damage = fmt::format("the column {} is missing: the columns are {}", column.name, column_names(known));
    if (!damage.empty()) return columns;
  }
  for (const auto& name : header) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const KnownColumn& column) { return column.name == name; });
    const auto number = static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) {
      damage = fmt::format("the column {} is not one of {}", cut_short(name), column_names(known));
    } else if (std::find(columns.begin(), columns.end(), number) != columns.end()) {
      damage = fmt::format("the column {} appears twice", name);
    }
    columns.push_back(number);
  }
  return columns;
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

void CsvRow::fail(const std::string& damage) const { fail_at(file, line, damage); }

std::string cut_short(const std::string& field) {
  constexpr std::size_t limit = 40;
  return field.size() <= limit ? field : field.substr(0, limit) + "…";
}

void read_csv(std::istream& in, const std::string& name, const std::vector<KnownColumn>& known,
              const std::function<void(const CsvRow&)>& on_row) {
  std::vector<std::string> fields;
  std::string damage;
  int line = 1;
  const auto fail_if_damaged = [&](int at) {
    if (!damage.empty()) fail_at(name, at, damage);
  };
  read_csv_row(in, fields, line, damage);
  fail_if_damaged(1);
  const auto columns = columns_in(fields, known, damage);
  fail_if_damaged(1);
  std::size_t rows = 0;
  for (int row_line = line; read_csv_row(in, fields, line, damage); row_line = line) {
    if (damage.empty() && fields.size() != columns.size())
      damage = fmt::format("{} fields instead of {}", fields.size(), columns.size());
    if (++rows > most_rows) damage = fmt::format("more than {} rows", most_rows);
    fail_if_damaged(row_line);
    on_row({name, row_line, fields, columns});
  }
  fail_if_damaged(line);
}

std::vector<std::vector<std::string>> read_csv_lines(std::istream& in, const std::string& name,
                                                     const std::vector<std::string>& columns) {
  std::vector<KnownColumn> known;
  for (const auto& column : columns) known.push_back({column});
  std::vector<std::vector<std::string>> lines;
  read_csv(in, name, known, [&](const CsvRow& row) {
    auto& line = lines.emplace_back(columns.size());
    for (std::size_t i = 0; i < row.fields.size(); ++i) line[row.columns[i]] = row.fields[i];
  });
  return lines;
}

bool read_csv_row(std::istream& in, std::vector<std::string>& fields, int& line, std::string& damage) {
  fields.assign(1, {});
  bool quoted = false;
  bool was_quoted = false;
  bool any = false;
  std::size_t bytes = 0;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    any = true;
    if (++bytes > most_row_bytes) {
      damage = fmt::format("more than {} bytes in a row", most_row_bytes);
      return true;
    }
    if (c == '\n') ++line;
    if (quoted) {
      if (c == '"' && in.peek() == '"') {
        fields.back() += static_cast<char>(in.get());
      } else if (c == '"') {
        quoted = false;
        was_quoted = true;
      } else {
        fields.back() += static_cast<char>(c);
      }
    } else if (c == '"' && fields.back().empty() && !was_quoted) {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
      was_quoted = false;
      if (fields.size() > most_fields) {
        damage = fmt::format("more than {} fields", most_fields);
        return true;
      }
    } else if (c == '\n') {
      return true;
    } else if (c == '\r' && in.peek() == '\n') {
      continue;
    } else if (was_quoted) {
      damage = "text after a closing quote";
    } else {
      fields.back() += static_cast<char>(c);
    }
  }
  if (quoted) damage = "a quote is not closed";
  return any;
}

}  // namespace ptxlat
