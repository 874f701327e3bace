#include "report/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxlat {

namespace {

bool is_proven_chain(const CellRecord& cell) {
  const WindowRecord* chain = window_of_role(cell, "chain");
  return chain && chain->verdict == Verdict::proven;
}

bool rests_on_chain(const CellRecord& cell) {
  if (cell.cycles && cell.chain) return *cell.chain == *cell.cycles;
  if (cell.cycles && cell.differential) return false;
  return is_proven_chain(cell);
}

}  // namespace

const WindowRecord* window_of_role(const CellRecord& cell, const std::string& role) {
  const auto found = std::find_if(cell.windows.begin(), cell.windows.end(),
                                  [&](const WindowRecord& window) { return window.role == role; });
  return found == cell.windows.end() ? nullptr : &*found;
}

std::vector<const WindowRecord*> backing_windows(const CellRecord& cell) {
  std::vector<const WindowRecord*> windows;
  const auto add = [&](const char* role) {
    if (const WindowRecord* window = window_of_role(cell, role)) windows.push_back(window);
  };
  if (rests_on_chain(cell)) {
    add("chain");
    add("chain twice");
    // What turns a result into a source operand is measured as bridge less bracket, and taken off each step.
    add("bridge");
    if (window_of_role(cell, "bridge")) add("bracket");
  } else {
    add("differential");
    add("differential base");
  }
  return windows;
}

std::vector<std::string> opcodes_of(const WindowRecord& window) {
  std::vector<std::string> opcodes;
  opcodes.reserve(window.sass.size());
  for (const SassRecord& instruction : window.sass) opcodes.emplace_back(opcode_of(instruction.text));
  return opcodes;
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
