// SPDX-License-Identifier: Apache-2.0

// The boxes of a memory hierarchy as gnuplot's rectangles, arrows and labels, in units of the drawing, from its upper
// left corner. The position of a box is fixed; its height depends on its lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "pages/memory_map.h"
#include "pages/plot.h"

namespace ptxlat::pages {

namespace {

constexpr int frame_margin = 16, padding = 10, gap = 36;
constexpr int column_width = 232, line_height = 17, title_height = 28, frame_title_height = 28;
constexpr int frame_columns = 4;
constexpr int frame_width = frame_columns * column_width + (frame_columns + 1) * padding;
constexpr int translation_left = frame_margin + frame_width + 24;
constexpr int translation_width = column_width + 2 * padding;
constexpr const char* line_colour = "#555555";
constexpr const char* frame_colour = "#f5f5f5";
constexpr const char* quiet_colour = "#666666";

struct Rectangle {
  int left = 0, top = 0, right = 0, bottom = 0;
  int middle() const { return (left + right) / 2; }
};

int left_of_column(int column) { return frame_margin + padding + column * (column_width + padding); }

const MemoryBox* find(const std::vector<MemoryBox>& map, std::string_view name) {
  const auto box = std::find_if(map.begin(), map.end(), [&](const MemoryBox& one) { return one.name == name; });
  return box == map.end() ? nullptr : &*box;
}

int height_of(const MemoryLine& line) { return line.over.empty() ? line_height : 2 * line_height - 3; }

int height_of(const MemoryBox& box) {
  int height = title_height + (box.lines.empty() ? 0 : 8);
  for (const auto& line : box.lines) height += height_of(line);
  return height;
}

// Tints of Okabe and Ito's colours: boxes that belong together share one.
const char* tint_of(const std::string& name) {
  if (name == "l1" || name == "texture") return "#dcebf5";
  if (name == "shared" || name == "remote") return "#d9f0e8";
  if (name == "constant" || name == "constant2") return "#fbeecb";
  if (name == "near" || name == "far") return "#f6e3ee";
  if (name == "memory") return "#fae1d3";
  return "#ffffff";
}

class Drawing {
 public:
  void rectangle(const Rectangle& box, const char* colour) { boxes_ += rectangle_command(box, colour, 1); }
  // It lies under all boxes, so it can be drawn together with them.
  void frame(const char* title, const Rectangle& place) {
    frames_ += rectangle_command(place, frame_colour, 2);
    bold(title, place.left + padding + 8, place.top + 16, "left", 13);
  }
  void label(const std::string& words, int x, int y, const char* alignment, int size, const char* colour = "#000000") {
    boxes_ += label_command(in_quotes(words) + " noenhanced", x, y, alignment, size, colour);
  }
  // For text written here, or made from numbers: gnuplot interprets markup in it.
  void bold(const std::string& words, int x, int y, const char* alignment, int size, const char* colour = "#000000") {
    boxes_ += label_command(in_quotes("{/:Bold " + words + "}"), x, y, alignment, size, colour);
  }
  void arrow(int from_x, int from_y, int to_x, int to_y, const char* style) {
    boxes_ += fmt::format("set arrow from {},{} to {},{} {} linecolor rgb '{}'\n", from_x, from_y, to_x, to_y, style,
                          line_colour);
  }
  // Both ways: requests and answers.
  void path(int x, int from, int to) { arrow(x, from, x, to, "heads filled size 7,20 linewidth 1.5"); }

  void title(const MemoryBox& box, const Rectangle& place) {
    bold(box.title, place.left + 8, place.top + 15, "left", 12);
    if (!box.latency.empty()) bold(box.latency, place.right - 8, place.top + 15, "right", 12, "#a03c00");
  }
  // Returns where the next line begins.
  int line(const MemoryLine& one, int left, int right, int top) {
    label(one.label, left + 8, top + 8, "left", 11, quiet_colour);
    label(one.value, right - 8, top + 8, "right", 11);
    if (!one.over.empty()) label("over " + one.over, right - 8, top + 5 + line_height, "right", 10, quiet_colour);
    return top + height_of(one);
  }
  void box(const MemoryBox& one, const Rectangle& place) {
    rectangle(place, tint_of(one.name));
    title(one, place);
    int top = place.top + title_height;
    for (const auto& each : one.lines) top = line(each, place.left, place.right, top);
  }
  // Lines side by side, from this column on. Returns where they end.
  int table(const std::vector<MemoryLine>& lines, int first_column, int top) {
    const int count = frame_columns - first_column;
    const int rows = (static_cast<int>(lines.size()) + count - 1) / count;
    int end = top;
    for (int column = 0; column < count; ++column) {
      const int left = left_of_column(first_column + column);
      int next = top;
      for (int i = column * rows; i < std::min((column + 1) * rows, static_cast<int>(lines.size())); ++i)
        next = line(lines[static_cast<std::size_t>(i)], left, left + column_width, next);
      end = std::max(end, next);
    }
    return end;
  }
  std::string text() const { return frames_ + boxes_; }

 private:
  static std::string rectangle_command(const Rectangle& box, const char* colour, int width) {
    return fmt::format(
        "set object rectangle from {},{} to {},{} behind fillcolor rgb '{}' fillstyle solid 1 border linecolor rgb "
        "'{}' linewidth {}\n",
        box.left, box.top, box.right, box.bottom, colour, line_colour, width);
  }

  static std::string label_command(const std::string& words, int x, int y, const char* alignment, int size,
                                   const char* colour) {
    return fmt::format("set label {} at {},{} {} font 'Helvetica,{}' textcolor rgb '{}'\n", words, x, y, alignment,
                       size, colour);
  }

  std::string frames_, boxes_;
};

struct Placed {
  const MemoryBox* box = nullptr;
  Rectangle place;
};

// The existing boxes, each in its column from `top` on, and all as high as the highest.
std::vector<Placed> row_of(const std::vector<MemoryBox>& map, const std::vector<std::pair<const char*, int>>& wanted,
                           int top) {
  std::vector<Placed> row;
  int height = 0;
  for (const auto& [name, column] : wanted) {
    const auto* box = find(map, name);
    if (!box) continue;
    const int left = left_of_column(column);
    row.push_back({box, {left, top, left + column_width, top}});
    height = std::max(height, height_of(*box));
  }
  for (auto& one : row) one.place.bottom = top + height;
  return row;
}

const Placed* find(const std::vector<Placed>& row, std::string_view name) {
  const auto one = std::find_if(row.begin(), row.end(), [&](const Placed& each) { return each.box->name == name; });
  return one == row.end() ? nullptr : &*one;
}

// The SM with its contents. Returns where it ends.
int draw_sm(Drawing& drawing, const std::vector<Placed>& row, int top) {
  if (row.empty()) return top;
  const int bottom = row.front().place.bottom + padding;
  drawing.frame("SM", {frame_margin, top, frame_margin + frame_width, bottom});
  for (const auto& one : row) drawing.box(*one.box, one.place);
  return bottom;
}

// Partitions on the left, properties of the whole L2 on the right.
int draw_l2(Drawing& drawing, const std::vector<MemoryBox>& map, int top) {
  const auto* whole = find(map, "l2");
  const auto partitions = row_of(map, {{"near", 0}, {"far", 1}}, top + frame_title_height);
  if (!whole && partitions.empty()) return top;
  int bottom = top + frame_title_height;
  for (const auto& one : partitions) {
    drawing.box(*one.box, one.place);
    bottom = std::max(bottom, one.place.bottom);
  }
  if (partitions.size() == 2) {
    const int y = partitions[0].place.top + title_height / 2;
    drawing.arrow(partitions[0].place.right, y, partitions[1].place.left, y, "heads filled size 3,20 linewidth 1.5");
  }
  if (whole) {
    const int first_column = static_cast<int>(partitions.size());
    bottom = std::max(bottom, drawing.table(whole->lines, first_column, top + frame_title_height));
  }
  bottom += padding;
  drawing.frame("Second-level cache", {frame_margin, top, frame_margin + frame_width, bottom});
  return bottom;
}

int draw_memory(Drawing& drawing, const MemoryBox& box, int top) {
  const int bottom = drawing.table(box.lines, 0, top + title_height) + 8;
  const Rectangle place{frame_margin, top, frame_margin + frame_width, bottom};
  drawing.rectangle(place, tint_of(box.name));
  drawing.title(box, place);
  return bottom;
}

// Address translation is next to everything that it serves. Returns where it ends.
int draw_translation(Drawing& drawing, const std::vector<MemoryBox>& map, int top) {
  int next = top + frame_title_height;
  for (const char* name : {"tlb1", "tlb2", "pages"}) {
    const auto* box = find(map, name);
    if (!box) continue;
    const int left = translation_left + padding;
    const Rectangle place{left, next, left + column_width, next + height_of(*box)};
    if (next > top + frame_title_height) drawing.path(place.middle(), next - padding * 2, next);
    drawing.box(*box, place);
    next = place.bottom + padding * 2;
  }
  if (next == top + frame_title_height) return top;
  next -= padding;
  drawing.frame("Address translation", {translation_left, top, translation_left + translation_width, next});
  return next;
}

// Translation that L1 hits do not pay for comes after the L1.
bool is_behind_l1(const std::vector<MemoryBox>& map) {
  const auto* box = find(map, "tlb1");
  return box && std::any_of(box->lines.begin(), box->lines.end(), [](const MemoryLine& line) {
           return line.quantity == "tlb.behind_l1" && line.value == "no";
         });
}

}  // namespace

std::string memory_script(const std::vector<MemoryBox>& map, const std::string& machine) {
  Drawing drawing;
  const int top = 48;
  const auto sm = row_of(map, {{"l1", 0}, {"texture", 1}, {"shared", 2}, {"constant", 3}}, top + frame_title_height);
  const int sm_bottom = draw_sm(drawing, sm, top);
  const int outside_top = sm.empty() ? top : sm_bottom + gap;
  const auto outside = row_of(map, {{"remote", 2}, {"constant2", 3}}, outside_top);
  for (const auto& one : outside) drawing.box(*one.box, one.place);
  const int outside_bottom = outside.empty() ? outside_top - gap : outside.front().place.bottom;

  const int l2_top = outside_bottom + gap;
  const int l2_bottom = draw_l2(drawing, map, l2_top);
  const bool has_l2 = l2_bottom > l2_top;
  if (has_l2) {
    for (const char* name : {"l1", "texture"}) {
      if (const auto* from = find(sm, name)) drawing.path(from->place.middle(), sm_bottom, l2_top);
    }
    if (const auto* from = find(outside, "constant2")) drawing.path(from->place.middle(), outside_bottom, l2_top);
  }
  for (const auto& [inner, outer] : {std::pair{"shared", "remote"}, std::pair{"constant", "constant2"}}) {
    const auto *from = find(sm, inner), *to = find(outside, outer);
    if (from && to) drawing.path(from->place.middle(), sm_bottom, to->place.top);
  }
  int bottom = has_l2 ? l2_bottom : outside_bottom;
  if (const auto* memory = find(map, "memory")) {
    const int memory_top = bottom + gap;
    if (has_l2) drawing.path(frame_margin + frame_width / 2, l2_bottom, memory_top);
    bottom = draw_memory(drawing, *memory, memory_top);
  }
  const int translation_bottom = draw_translation(drawing, map, top);
  const bool has_translation = translation_bottom > top;
  if (const auto* l1 = find(sm, "l1"); l1 && is_behind_l1(map)) {
    const int y = sm_bottom + gap / 2;
    drawing.arrow(l1->place.middle(), y, translation_left, y, "heads filled size 5,20 dashtype 2");
    drawing.label("addresses of what misses", l1->place.middle() + 8, y + 11, "left", 10, quiet_colour);
  }
  const int width =
      has_translation ? translation_left + translation_width + frame_margin : frame_width + 2 * frame_margin;
  const int height = std::max(bottom, translation_bottom) + 30;
  drawing.label(machine.empty() ? "Memory hierarchy" : "Memory hierarchy of " + machine, frame_margin, 26, "left", 16);
  drawing.label("Every value is a fact; what has not been determined is left out.", frame_margin, height - 14, "left",
                10, quiet_colour);
  return fmt::format(
             "set terminal svg size {0},{1} enhanced font 'Helvetica,12' background 'white'\n"
             "set output 'plot.svg'\n"
             "set encoding utf8\n"
             "set lmargin at screen 0\nset rmargin at screen 1\nset tmargin at screen 1\nset bmargin at screen 0\n"
             "unset border\nunset tics\nunset key\n"
             "set xrange [0:{0}]\nset yrange [{1}:0]\n",
             width, height) +
         drawing.text() + "plot NaN notitle\n";
}

}  // namespace ptxlat::pages
