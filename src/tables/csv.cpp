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

#include "base/csv_row.h"
#include "base/error.h"
#include "base/file.h"
#include "base/limits.h"
#include "tables/compression.h"
#include "tables/table_files.h"

namespace ptxlat::tables {

namespace {

// For quoting an arbitrary field in an error.
std::string shortened(const std::string& field) {
  constexpr std::size_t limit = 40;
  return field.size() <= limit ? field : field.substr(0, limit) + "…";
}

[[noreturn]] void fail_at(const std::string& name, int line, const std::string& damage) {
  throw Error(ExitCode::storage, fmt::format("{}:{}: {}", name, line, damage), "Export the table again.");
}

std::string names_of(const std::vector<KnownColumn>& columns) {
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
      damage = fmt::format("the column {} is missing: the columns are {}", column.name, names_of(known));
    if (!damage.empty()) return columns;
  }
  for (const auto& name : header) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const KnownColumn& column) { return column.name == name; });
    const auto number = static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) {
      damage = fmt::format("the column {} is not one of {}", shortened(name), names_of(known));
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

std::optional<CsvText> read_csv_text(const std::filesystem::path& file) {
  std::error_code ignored;
  auto found = file;
  if (!std::filesystem::exists(found, ignored)) found += ".gz";
  if (!std::filesystem::exists(found, ignored)) return std::nullopt;
  if (found.extension() == ".gz") return CsvText{found.string(), unpacked(found, gunzip)};
  return CsvText{found.string(), read_file(found)};
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

void Field::fail(const std::string& what) const { fail_at(row.file, row.line, what); }

std::optional<double> number_in(const Field& field) {
  if (field.text.empty()) return std::nullopt;
  double value = 0;
  const auto* const end = field.text.data() + field.text.size();
  const auto [read, error] = std::from_chars(field.text.data(), end, value);
  if (error != std::errc() || read != end || !std::isfinite(value))
    field.fail("not a number: " + shortened(field.text));
  return value;
}

std::size_t count_in(const Field& field) {
  std::size_t value = 0;
  const auto* const end = field.text.data() + field.text.size();
  const auto [read, error] = std::from_chars(field.text.data(), end, value);
  if (!field.text.empty() && (error != std::errc() || read != end))
    field.fail("not an integer: " + shortened(field.text));
  return value;
}

namespace {

int level_of(const Field& field, const std::string& word) {
  const int value = word.size() == 2 && word[0] == 'O' ? word[1] - '0' : -1;
  if (value < 0 || value > highest_level) field.fail("not a level such as O3: " + shortened(word));
  return value;
}

}  // namespace

int level_in(const Field& field) { return level_of(field, field.text); }

std::vector<int> levels_in(const Field& field) {
  std::vector<int> levels;
  for (const auto& word : words_in(field.text, " ")) levels.push_back(level_of(field, word));
  if (std::adjacent_find(levels.begin(), levels.end(), std::greater_equal<>()) != levels.end())
    field.fail("levels are not in ascending order");
  return levels;
}

std::vector<std::string> words_in(const std::string& text, std::string_view separators) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find_first_of(separators, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace ptxlat::tables
