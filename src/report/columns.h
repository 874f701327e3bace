#pragma once

#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace ptxlat {

// Rows of text in aligned columns; a column that is empty in every row is left out. Widths are counted in characters,
// not bytes: "≥" is one, a colour none.
class Columns {
 public:
  explicit Columns(std::vector<std::string> heads) : rows_{std::move(heads)}, below_(1) {}
  void align_right(std::size_t column) { right_.insert(column); }
  // `below` is a line of its own under the row, not aligned.
  void add(std::vector<std::string> fields, std::string below = {}) {
    rows_.push_back(std::move(fields));
    below_.push_back(std::move(below));
  }
  void write(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first has the heads; all of its length
  std::vector<std::string> below_;              // of each row
  std::set<std::size_t> right_;
};

// With what Markdown would take as the end of a table's cell escaped.
std::string markdown_escaped(const std::string& text);

}  // namespace ptxlat
