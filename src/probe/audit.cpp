#include "probe/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ptxlat::probe {

namespace {

// "IMAD" of "IMAD.MOV.U32".
std::string without_modifiers(std::string_view opcode) { return std::string(opcode.substr(0, opcode.find('.'))); }

}  // namespace

sass::Audit audit(const Probe& probe, const Point& point, const sass::Window& window) {
  std::map<std::string, std::int64_t> counts;
  // Of a window the clock reads are the edges; of a whole kernel they are instructions like others.
  const std::size_t edge = probe.whole_kernel ? 0 : 1;
  for (auto i = edge; i + edge < window.instructions.size(); ++i)
    ++counts[without_modifiers(sass::opcode_of(window.instructions[i].text))];
  sass::Audit result;
  for (const auto& [opcode, expected] : point.opcodes) {
    const auto found = counts[opcode];
    if (found == expected) {
      result.sass.insert(result.sass.end(), static_cast<std::size_t>(found), opcode);
      continue;
    }
    return {found < expected ? sass::Verdict::elided : sass::Verdict::contaminated,
            fmt::format("{} {} instead of {}", found, opcode, expected),
            {}};
  }
  for (const auto& [opcode, count] : counts) {
    if (count == 0 || point.opcodes.contains(opcode)) continue;
    if (std::find(probe.beside.begin(), probe.beside.end(), opcode) != probe.beside.end()) continue;
    return {sass::Verdict::contaminated, fmt::format("{} {} that the probe does not name", count, opcode), {}};
  }
  return result;
}

}  // namespace ptxlat::probe
