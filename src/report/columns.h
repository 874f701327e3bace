#pragma once

#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace ptxlat {

// Rows of text in aligned columns; a column that is empty in every row is left out. Widths are counted in characters,
// not bytes: "≥" is one.
class Columns {
 public:
  explicit Columns(std::vector<std::string> heads) : rows_{std::move(heads)} {}
  void align_right(std::size_t column) { right_.insert(column); }
  void add(std::vector<std::string> fields) { rows_.push_back(std::move(fields)); }
  void write(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first has the heads; all of its length
  std::set<std::size_t> right_;
};

// With what Markdown would take as the end of a table's cell escaped.
std::string markdown_escaped(const std::string& text);

}  // namespace ptxlat
