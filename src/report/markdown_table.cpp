#include "report/markdown_table.h"

#include <fmt/format.h>

#include "report/columns.h"

namespace ptxlat {

std::string in_code(const std::string& text) {
  return text.empty() ? std::string() : fmt::format("`{}`", markdown_escaped(text));
}

void MarkdownTable::write(std::ostream& out) const {
  std::vector<bool> used(rows_.front().size(), false);
  for (std::size_t row = 1; row < rows_.size(); ++row) {
    for (std::size_t i = 0; i < used.size(); ++i) used[i] = used[i] || !rows_[row][i].empty();
  }
  const auto write_line = [&](const auto& field_at) {
    out << '|';
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) out << field_at(i) << '|';
    }
    out << '\n';
  };
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    write_line([&](std::size_t i) { return fmt::format(" {} ", rows_[row][i]); });
    if (row == 0) write_line([](std::size_t) { return "---"; });
  }
}

}  // namespace ptxlat
