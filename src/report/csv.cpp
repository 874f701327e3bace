#include "report/csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "error.h"
#include "report/number.h"
#include "report/table.h"
#include "report/table_files.h"

namespace ptxlat {

namespace {

const std::vector<std::string> columns = {"ptx",   "chapter",    "operand",  "input",        "opt",   "cycles",
                                          "issue", "bracket",    "overhead", "differential", "chain", "static",
                                          "sass",  "sass_count", "verdict",  "note"};

// Format 1 had no `issue`.
std::vector<std::string> columns_of_format_1() {
  std::vector<std::string> names = columns;
  names.erase(std::find(names.begin(), names.end(), "issue"));
  return names;
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

namespace {

// One RFC 4180 record; false at the end. Sets `damage` for a quote that is never closed or followed by text.
bool read_row(std::istream& in, std::vector<std::string>& fields, int& line, std::string& damage) {
  fields.assign(1, {});
  bool quoted = false;
  bool was_quoted = false;
  bool any = false;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    any = true;
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

// Of a field that may be anything, for an error.
std::string shortened(const std::string& field) {
  constexpr std::size_t limit = 40;
  return field.size() <= limit ? field : field.substr(0, limit) + "…";
}

// Reads the cells of a row, one after the other; what cannot be read is the row's damage.
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

  int level() {
    const std::string& field = fields[next++];
    const int value = field.size() == 2 && field[0] == 'O' ? field[1] - '0' : -1;
    if (value < 0 || value > highest_level) damage = "not a level such as O3: " + shortened(field);
    return value;
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

  Verdict verdict() {
    const std::string& field = fields[next++];
    const std::optional<Verdict> value = verdict_from(field);
    if (!value) damage = "unknown verdict: " + shortened(field);
    return value.value_or(Verdict::proven);
  }
};

CellRecord cell_from(RowReader& row, bool has_issue) {
  CellRecord cell;
  cell.ptx = row.text();
  cell.chapter = row.text();
  cell.operand = row.text();
  cell.input = row.text();
  cell.level = row.level();
  cell.cycles = row.number();
  if (has_issue) cell.issue = row.number();
  cell.bracket = row.number();
  cell.overhead = row.number();
  cell.differential = row.number();
  cell.chain = row.number();
  cell.static_cycles = row.number();
  cell.sass = row.opcodes();
  cell.sass_count = row.integer();
  cell.verdict = row.verdict();
  cell.note = row.text();
  return cell;
}

}  // namespace

void write_csv(std::ostream& out, const std::vector<CellRecord>& cells) {
  out << fmt::format("{}\n", fmt::join(columns, ","));
  for (const CellRecord& cell : cells) {
    for (const std::string* text : {&cell.ptx, &cell.chapter, &cell.operand, &cell.input}) {
      write_csv_field(out, *text);
      out << ',';
    }
    out << 'O' << cell.level << ',';
    for (const auto& number :
         {cell.cycles, cell.issue, cell.bracket, cell.overhead, cell.differential, cell.chain, cell.static_cycles}) {
      out << decimal(number) << ',';
    }
    write_csv_field(out, fmt::format("{}", fmt::join(cell.sass, ";")));
    out << ',' << cell.sass_count << ',' << to_string(cell.verdict) << ',';
    write_csv_field(out, cell.note);
    out << '\n';
  }
}

std::vector<CellRecord> read_csv(std::istream& in, const std::string& name) {
  std::vector<CellRecord> cells;
  std::vector<std::string> fields;
  std::string damage;
  int line = 1;
  const auto fail_if_damaged = [&](int at) {
    if (damage.empty()) return;
    throw Error(ExitCode::storage, fmt::format("{}:{}: {}", name, at, damage), "Export the table again.");
  };

  read_row(in, fields, line, damage);
  const bool has_issue = fields == columns;
  const std::size_t width = fields.size();
  if (!has_issue && fields != columns_of_format_1()) {
    damage = fmt::format("the columns are not those of a latency table, which are {}", fmt::join(columns, ","));
  }
  fail_if_damaged(1);
  for (int row_line = line; read_row(in, fields, line, damage); row_line = line) {
    if (fields.size() != width) {
      damage = fmt::format("{} fields instead of {}", fields.size(), width);
    }
    fail_if_damaged(row_line);
    RowReader row{fields, {}};
    cells.push_back(cell_from(row, has_issue));
    damage = row.damage;
    fail_if_damaged(row_line);
  }
  return cells;
}

}  // namespace ptxlat
