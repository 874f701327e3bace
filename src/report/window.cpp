#include "report/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxlat {

std::vector<std::string_view> backing_roles(const CellRecord& columns, bool chain_is_proven, bool has_bridge) {
  bool rests_on_chain = chain_is_proven;
  if (columns.cycles && columns.chain) {
    rests_on_chain = *columns.chain == *columns.cycles;
  } else if (columns.cycles && columns.differential) {
    rests_on_chain = false;
  }
  if (!rests_on_chain) return {"differential", "differential base"};
  // What turns a result into a source operand is measured as bridge less bracket, and taken off each step.
  if (has_bridge) return {"chain", "chain twice", "bridge", "bracket"};
  return {"chain", "chain twice"};
}

const WindowRecord* window_of_role(const CellRecord& cell, std::string_view role) {
  const auto found = std::find_if(cell.windows.begin(), cell.windows.end(),
                                  [&](const WindowRecord& window) { return window.role == role; });
  return found == cell.windows.end() ? nullptr : &*found;
}

std::vector<const WindowRecord*> backing_windows(const CellRecord& cell) {
  const WindowRecord* chain = window_of_role(cell, "chain");
  const bool chain_is_proven = chain && chain->verdict == Verdict::proven;
  std::vector<const WindowRecord*> windows;
  for (const std::string_view role : backing_roles(cell, chain_is_proven, window_of_role(cell, "bridge") != nullptr)) {
    if (const WindowRecord* window = window_of_role(cell, role)) windows.push_back(window);
  }
  return windows;
}

std::string brief_opcodes(const std::vector<std::string>& opcodes, std::size_t limit) {
  std::string brief;
  for (std::size_t i = 0; i < opcodes.size();) {
    std::size_t end = i;
    while (end < opcodes.size() && opcodes[end] == opcodes[i]) ++end;
    const std::string part = end - i > 1 ? fmt::format("{}×{}", opcodes[i], end - i) : opcodes[i];
    if (!brief.empty() && brief.size() + 1 + part.size() > limit) {
      return fmt::format("{};…+{}", brief, opcodes.size() - i);
    }
    if (!brief.empty()) brief += ';';
    brief += part;
    i = end;
  }
  return brief;
}

}  // namespace ptxlat
