#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ptxlat {

// `text` as Markdown's code; empty stays empty.
std::string in_code(const std::string& text);

// A table in Markdown; columns that are empty in every row are left out.
class MarkdownTable {
 public:
  explicit MarkdownTable(std::vector<std::string> heads) : rows_{std::move(heads)} {}
  void add(std::vector<std::string> fields) { rows_.push_back(std::move(fields)); }
  void write(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first has the heads; all of its length
};

}  // namespace ptxlat
