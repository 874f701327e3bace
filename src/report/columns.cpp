#include "report/columns.h"

#include <algorithm>

namespace ptxlat {

namespace {

std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  bool in_colour = false;
  for (const char c : text) {
    if (c == '\x1b') in_colour = true;
    const bool starts_character = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    if (starts_character && !in_colour) ++width;
    if (c == 'm') in_colour = false;
  }
  return width;
}

}  // namespace

void Columns::write(std::ostream& out) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (std::size_t row = 1; row < rows_.size(); ++row) {
    for (std::size_t column = 0; column < widths.size(); ++column) {
      widths[column] = std::max(widths[column], width_of(rows_[row][column]));
    }
  }
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (widths[column] != 0) widths[column] = std::max(widths[column], width_of(rows_.front()[column]));
  }
  for (std::size_t index = 0; index < rows_.size(); ++index) {
    const auto& row = rows_[index];
    std::string line;
    for (std::size_t column = 0; column < widths.size(); ++column) {
      if (widths[column] == 0) continue;
      if (column != 0) line += "  ";
      const std::string padding(widths[column] - width_of(row[column]), ' ');
      line += right_.contains(column) ? padding + row[column] : row[column] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
    if (!below_[index].empty()) out << below_[index] << '\n';
  }
}

std::string markdown_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

}  // namespace ptxlat
