#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/table.h"

namespace ptxlat::report {

enum class CodeChange { none, opcodes, schedule };

// One window of both sides.
struct WindowPair {
  const CellWindow* a = nullptr;
  const CellWindow* b = nullptr;
};

// What the machine code that two cells' numbers were made of changed into. Compared are the windows that the headline
// was made of, in the same roles on both sides, and those of the other compared metrics (`issue`) where both cells have
// them. Registers and scoreboard numbers are no difference: opcodes, stall counts, yields and which instruction waits
// for which are. The edges of a window belong to the skeleton and are taken off every number (sass/window.h,
// StaticSchedule::edge_cycles), so their stall counts are no difference either. Where a table has no windows (a csv
// alone), the opcodes and the static number stand in for them.
class CodeComparison {
 public:
  CodeChange change_of(const Cell& a, const Cell& b);
  // The first pair of windows that changed in this way; nulls where the change is in the columns alone.
  WindowPair first_changed(CodeChange change, const Cell& a, const Cell& b);

 private:
  CodeChange change_of(std::string_view a, std::string_view b);

  // Bases and streams are shared by many cells; texts of one table that are equal lie at the same place.
  struct HashOfPlaces {
    std::size_t operator()(const std::pair<const char*, const char*>& places) const {
      return std::hash<const char*>()(places.first) * 1000003 ^ std::hash<const char*>()(places.second);
    }
  };
  std::unordered_map<std::pair<const char*, const char*>, CodeChange, HashOfPlaces> known_;
};

// Two windows for reading, side by side from shortly before where they part: "…+3 IMAD:4×3 IADD3:5 …+12". Behind a
// colon the stall count, which the window's edge has none of.
struct SideBySide {
  std::string a, b;
};
SideBySide side_by_side(const WindowPair& pair, std::size_t width);

// The instructions of a window's code, as docs/table-format.md spells them.
std::vector<std::string> code_lines(std::string_view code);

// Whether the windows differ in nothing but waits and yields, which a list of stall counts does not show.
bool equal_but_for_waits(const WindowPair& pair);

}  // namespace ptxlat::report
