// SPDX-License-Identifier: Apache-2.0
#include "probe/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "sass/opcodes.h"

namespace ptxlat::probe {

namespace {

// Whether "LDS.U.128" has all of "LDS.128".
bool has_modifiers(const std::string& opcode, const std::string& wanted) {
  std::istringstream parts(wanted);
  for (std::string part; std::getline(parts, part, '.');) {
    if (("." + opcode + ".").find("." + part + ".") == std::string::npos) return false;
  }
  return true;
}

}  // namespace

sass::Audit audit(const Probe& probe, const Point& point, const sass::Window& window) {
  std::map<std::string, std::int64_t> counts;
  // In a window the clock reads are the edges; in a whole kernel they are ordinary instructions.
  const std::size_t edge = probe.whole_kernel ? 0 : 1;
  for (auto i = edge; i + edge < window.instructions.size(); ++i) {
    const std::string opcode(sass::opcode_of(window.instructions[i].text));
    // An opcode that the probe names with modifiers is counted with them; other instructions of that name are counted
    // without.
    const auto with_modifiers = std::find_if(point.opcodes.begin(), point.opcodes.end(), [&](const auto& expected) {
      return expected.first.find('.') != std::string::npos && has_modifiers(opcode, expected.first);
    });
    ++counts[with_modifiers != point.opcodes.end() ? with_modifiers->first : std::string(sass::family_of(opcode))];
  }
  if (point.registers && window.registers != *point.registers)
    return {
        sass::Verdict::contaminated, fmt::format("{} registers instead of {}", window.registers, *point.registers), {}};
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
    const auto is_among = [&, &name = opcode](const auto& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    if (probe.without.empty() ? is_among(probe.beside) : !is_among(probe.without)) continue;
    return {sass::Verdict::contaminated, fmt::format("{} {} that the probe does not name", count, opcode), {}};
  }
  return result;
}

}  // namespace ptxlat::probe
