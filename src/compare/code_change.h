// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tables/table.h"

namespace ptxlat::compare {

enum class CodeChange { none, opcodes, schedule };

// One window of both sides.
struct WindowPair {
  const tables::CellWindow* a = nullptr;
  const tables::CellWindow* b = nullptr;
};

// How the machine code behind two cells' numbers changed. The comparison covers the windows behind the headline, in the
// same roles on both sides, and those of the other compared metrics (`issue`) if both cells have them. Opcodes, stall
// counts, yields and which instruction waits for which count as differences; registers and scoreboard numbers do not.
// The edges of a window belong to the skeleton and are removed from every number (sass/window.h,
// StaticSchedule::edge_cycles), so their stall counts do not count either. If a table has no windows (only a csv), the
// opcodes and the static number replace them.
class CodeComparison {
 public:
  CodeChange change_of(const tables::Cell& a, const tables::Cell& b);
  // The first pair of windows that changed in this way; nulls if only the columns changed.
  WindowPair first_changed(CodeChange change, const tables::Cell& a, const tables::Cell& b);

 private:
  CodeChange change_of(std::string_view a, std::string_view b);

  // Many cells share bases and streams; equal texts of one table have the same address.
  struct HashOfPlaces {
    std::size_t operator()(const std::pair<const char*, const char*>& places) const {
      return std::hash<const char*>()(places.first) * 1000003 ^ std::hash<const char*>()(places.second);
    }
  };
  std::unordered_map<std::pair<const char*, const char*>, CodeChange, HashOfPlaces> known_;
};

// Hashes of a window's code, to compare many: code without a CodeChange has equal hashes, and only `schedule` differs
// for CodeChange::schedule.
struct CodeHash {
  std::uint64_t opcodes = 0, schedule = 0;
};
CodeHash hash_of(std::string_view code);

// Two windows for people, side by side from shortly before the first difference: "…+3 IMAD:4×3 IADD3:5 …+12". The
// number after a colon is the stall count; the window's edges have none.
struct SideBySide {
  std::string a, b;
};
SideBySide side_by_side(const WindowPair& pair, std::size_t width);

// The instructions of a window's code, in the notation of docs/table-format.md.
std::vector<std::string> code_lines(std::string_view code);

// Whether the windows only differ in waits and yields, which a list of stall counts does not show.
bool equal_but_for_waits(const WindowPair& pair);

}  // namespace ptxlat::compare
