// SPDX-License-Identifier: Apache-2.0
#include "tables/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace ptxlat::tables {

namespace {

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string painted(const Span& span, bool in_colour) {
  auto text = printable(span.text);
  if (!in_colour || span.colour == Colour::none || text.empty()) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(span.colour), text);
}

// Outside of code, Markdown takes "<script>" for HTML.
std::string without_html(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// Escapes characters that Markdown would treat as the end of a table's field, or of code.
std::string in_markdown(const Span& span) {
  std::string escaped;
  for (const char c : span.is_code ? printable(span.text) : without_html(printable(span.text))) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c == '`' && span.is_code ? '\'' : c;
  }
  return span.is_code && !escaped.empty() ? "`" + escaped + "`" : escaped;
}

bool is_used(const Grid& grid, std::size_t column) {
  return grid.columns[column].is_kept ||
         std::any_of(grid.rows.begin(), grid.rows.end(), [&](const Spans& row) { return !row[column].text.empty(); });
}

// The part of the row that goes below it: its details, separated by bars.
std::string detail_of(const Grid& grid, const Spans& row, bool in_colour) {
  std::string text;
  for (std::size_t column = 0; column < row.size(); ++column) {
    if (!grid.columns[column].is_detail || row[column].text.empty()) continue;
    text += (text.empty() ? "    " : painted({"  │  ", Colour::dim}, in_colour)) + painted(row[column], in_colour);
  }
  return text;
}

void write_aligned(std::ostream& out, const Grid& grid, bool in_colour) {
  const auto widths = widths_of(grid);
  out << aligned_heads(grid.columns, widths);
  for (const Spans& row : grid.rows) {
    out << aligned_row(grid.columns, widths, row, in_colour);
    if (const auto detail = detail_of(grid, row, in_colour); !detail.empty()) out << detail << '\n';
  }
}

void write_markdown(std::ostream& out, const Grid& grid) {
  std::vector<std::size_t> used;
  for (std::size_t column = 0; column < grid.columns.size(); ++column) {
    if (is_used(grid, column)) used.push_back(column);
  }
  const auto write_row = [&](const auto& field_at) {
    out << '|';
    for (const std::size_t column : used) out << field_at(column) << '|';
    out << '\n';
  };
  write_row([&](std::size_t column) { return fmt::format(" {} ", in_markdown(grid.columns[column].head)); });
  write_row([&](std::size_t column) { return grid.columns[column].is_number ? "--:" : "---"; });
  for (const Spans& row : grid.rows) {
    write_row([&](std::size_t column) { return fmt::format(" {} ", in_markdown(row[column])); });
  }
}

}  // namespace

Span code(std::string text, Colour colour) {
  Span span(std::move(text), colour);
  span.is_code = true;
  return span;
}

std::vector<std::size_t> widths_of(const Grid& grid) {
  std::vector<std::size_t> widths(grid.columns.size(), 0);
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (grid.columns[column].is_detail || !is_used(grid, column)) continue;
    widths[column] = width_of(grid.columns[column].head);
    for (const Spans& row : grid.rows) widths[column] = std::max(widths[column], width_of(row[column].text));
    // One endless field must not make every line as long.
    constexpr std::size_t widest = 1000;
    widths[column] = std::min(widths[column], widest);
  }
  return widths;
}

std::string aligned_row(const std::vector<Heading>& columns, const std::vector<std::size_t>& widths, const Spans& row,
                        bool in_colour) {
  std::string line;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (widths[column] == 0) continue;
    if (!line.empty()) line += "  ";
    const std::size_t width = std::min(widths[column], width_of(row[column].text));
    const std::string padding(widths[column] - width, ' '), text = painted(row[column], in_colour);
    line += columns[column].is_number ? padding + text : text + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string aligned_heads(const std::vector<Heading>& columns, const std::vector<std::size_t>& widths) {
  Spans heads;
  for (const Heading& column : columns) heads.emplace_back(column.head);
  return aligned_row(columns, widths, heads);
}

void Page::begin_block() {
  // On a terminal a heading is directly above its block.
  if (!is_first_ && (is_markdown() || !follows_heading_)) out_ << '\n';
  is_first_ = follows_heading_ = false;
}

std::string Page::text_of(const Span& span) const {
  if (!is_markdown()) return painted(span, style_.in_colour);
  return span.is_code ? in_markdown(span) : without_html(printable(span.text));
}

std::string Page::text_of(const Spans& line) const {
  std::string text;
  for (const Span& span : line) text += text_of(span);
  return text;
}

void Page::heading(int depth, const Spans& text) {
  begin_block();
  if (is_markdown()) out_ << std::string(static_cast<std::size_t>(depth), '#') << ' ';
  out_ << text_of(text) << '\n';
  follows_heading_ = true;
}

void Page::paragraph(const Spans& text) {
  begin_block();
  out_ << text_of(text) << '\n';
}

void Page::list(const std::vector<Spans>& items) {
  begin_block();
  for (const Spans& item : items) out_ << (is_markdown() ? "- " : "") << text_of(item) << '\n';
}

void Page::table(const Grid& grid) {
  begin_block();
  if (is_markdown()) {
    write_markdown(out_, grid);
  } else {
    write_aligned(out_, grid, style_.in_colour);
  }
}

std::size_t Page::shown(std::size_t rows) const { return std::min(rows, style_.most_rows); }

void Page::left_out(std::size_t rows) {
  if (rows > style_.most_rows) paragraph({fmt::format("… {} more rows", rows - style_.most_rows)});
}

}  // namespace ptxlat::tables
