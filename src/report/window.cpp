#include "report/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxlat {

namespace {

bool is_chain(const WindowRecord& window) { return window.role.rfind("chain", 0) == 0; }
bool is_differential(const WindowRecord& window) { return window.role == "differential"; }

}  // namespace

const WindowRecord* window_of_role(const CellRecord& cell, const std::string& role) {
  const auto found = std::find_if(cell.windows.begin(), cell.windows.end(),
                                  [&](const WindowRecord& window) { return window.role == role; });
  return found == cell.windows.end() ? nullptr : &*found;
}

const WindowRecord* backing_window(const CellRecord& cell) {
  const auto first = [&](auto matches) -> const WindowRecord* {
    const auto found = std::find_if(cell.windows.begin(), cell.windows.end(), matches);
    return found == cell.windows.end() ? nullptr : &*found;
  };
  const auto proven = [](const WindowRecord& window) { return window.verdict == Verdict::proven; };
  const WindowRecord* window = nullptr;
  if (cell.differential) window = first(is_differential);
  if (!window && cell.chain) window = first(is_chain);
  if (!window) window = first([&](const WindowRecord& w) { return is_differential(w) && proven(w); });
  if (!window) window = first([&](const WindowRecord& w) { return is_chain(w) && proven(w); });
  if (!window) window = first(is_differential);
  if (!window) window = first(is_chain);
  return window;
}

std::string opcode_of(const std::string& sass_text) {
  std::size_t begin = 0;
  if (!sass_text.empty() && sass_text[0] == '@') {
    begin = std::min(sass_text.find(' '), sass_text.size());
    begin = std::min(sass_text.find_first_not_of(' ', begin), sass_text.size());
  }
  return sass_text.substr(begin, sass_text.find_first_of(" ;", begin) - begin);
}

std::vector<std::string> opcodes_of(const WindowRecord& window) {
  std::vector<std::string> opcodes;
  opcodes.reserve(window.sass.size());
  for (const SassRecord& instruction : window.sass) opcodes.push_back(opcode_of(instruction.text));
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
