// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ptxlat::tables {

enum class Colour { none = 0, bold = 1, dim = 2, red = 31, green = 32, yellow = 33, cyan = 36 };

// A piece of text and its kind: Markdown marks code, a terminal shows colours.
struct Span {
  std::string text;
  Colour colour = Colour::none;
  bool is_code = false;

  Span() = default;
  Span(std::string what, Colour how = Colour::none) : text(std::move(what)), colour(how) {}
  Span(const char* what, Colour how = Colour::none) : text(what), colour(how) {}
};
Span code(std::string text, Colour colour = Colour::none);
using Spans = std::vector<Span>;

struct Heading {
  std::string head;
  bool is_number = false;  // right-aligned
  bool is_kept = false;    // even if it is empty in every row; other columns are left out then
  bool is_detail = false;  // too wide for a terminal's row: printed on a separate line below it
};

struct Grid {
  std::vector<Heading> columns;
  std::vector<Spans> rows;  // a field for each column
};

enum class PageFormat { text, markdown };

struct PageStyle {
  PageFormat format = PageFormat::text;
  bool in_colour = false;                                           // of text
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();  // of each truncated table
  bool is_brief = false;                                            // for one screen: what matters most
};

// A page for people, in blocks separated by empty lines: aligned text for a terminal, or Markdown.
class Page {
 public:
  Page(std::ostream& out, const PageStyle& style) : out_(out), style_(style) {}

  void heading(int depth, const Spans& text);
  void paragraph(const Spans& text);
  void list(const std::vector<Spans>& items);
  void table(const Grid& grid);
  // How many rows of a list `most_rows` keeps, and afterwards how many more there are.
  std::size_t shown(std::size_t rows) const;
  void left_out(std::size_t rows);
  bool is_markdown() const { return style_.format == PageFormat::markdown; }
  bool is_brief() const { return style_.is_brief; }

 private:
  void begin_block();
  std::string text_of(const Span& span) const;
  std::string text_of(const Spans& line) const;

  std::ostream& out_;
  PageStyle style_;
  bool is_first_ = true;
  bool follows_heading_ = false;
};

// The parts of an aligned table, for a table that is written while it grows. Widths are counted in characters, not
// bytes: "≥" is one. A field wider than its column shifts the rest of its row.
std::vector<std::size_t> widths_of(const Grid& grid);  // 0 for an omitted column
std::string aligned_heads(const std::vector<Heading>& columns, const std::vector<std::size_t>& widths);
std::string aligned_row(const std::vector<Heading>& columns, const std::vector<std::size_t>& widths, const Spans& row,
                        bool in_colour = false);

}  // namespace ptxlat::tables
