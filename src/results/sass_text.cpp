// SPDX-License-Identifier: Apache-2.0
#include "results/sass_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ptxlat::results {

namespace {

constexpr int instruction_bytes = 16;

std::string sass_line(const SassRecord& instruction, int distance) {
  std::string line;
  if (distance != instruction_bytes) line += fmt::format("{:+x} ", distance);
  line += fmt::format("S{}", instruction.stall_count);
  if (instruction.yields) line += " Y";
  if (instruction.write_scoreboard != 7) line += fmt::format(" W{}", instruction.write_scoreboard);
  if (instruction.read_scoreboard != 7) line += fmt::format(" R{}", instruction.read_scoreboard);
  if (instruction.wait_mask != 0) {
    line += " B";
    for (int scoreboard = 0; scoreboard < 6; ++scoreboard) {
      if (instruction.wait_mask >> scoreboard & 1) line += static_cast<char>('0' + scoreboard);
    }
  }
  if (instruction.reuse != 0) line += fmt::format(" U{}", instruction.reuse);
  return line + " | " + instruction.text;
}

int wait_mask_from(const std::string& scoreboards) {
  int mask = 0;
  for (const char digit : scoreboards) {
    if (digit < '0' || digit > '5') throw std::invalid_argument("no such scoreboard: " + scoreboards);
    mask |= 1 << (digit - '0');
  }
  return mask;
}

SassRecord sass_from_line(const std::string& line, int expected_offset) {
  // The text may contain a '|' (an absolute value); the control fields do not.
  const std::size_t bar = line.find(" | ");
  if (bar == std::string::npos) throw std::invalid_argument("not an instruction: " + line);
  SassRecord instruction;
  instruction.offset = expected_offset;
  instruction.text = line.substr(bar + 3);
  std::size_t begin = 0;
  while (begin < bar) {
    const std::size_t end = std::min(line.find(' ', begin), bar);
    const std::string value = line.substr(begin + 1, end - begin - 1);
    switch (line[begin]) {
      case '+':
        instruction.offset += std::stoi(value, nullptr, 16) - instruction_bytes;
        break;
      case '-':
        instruction.offset -= std::stoi(value, nullptr, 16) + instruction_bytes;
        break;
      case 'S':
        instruction.stall_count = std::stoi(value);
        break;
      case 'Y':
        instruction.yields = true;
        break;
      case 'W':
        instruction.write_scoreboard = std::stoi(value);
        break;
      case 'R':
        instruction.read_scoreboard = std::stoi(value);
        break;
      case 'B':
        instruction.wait_mask = wait_mask_from(value);
        break;
      case 'U':
        instruction.reuse = std::stoi(value);
        break;
      default:
        throw std::invalid_argument("unknown control field: " + line);
    }
    begin = end + 1;
  }
  return instruction;
}

}  // namespace

std::vector<std::string> sass_lines(const std::vector<SassRecord>& sass) {
  std::vector<std::string> lines;
  lines.reserve(sass.size());
  for (std::size_t i = 0; i < sass.size(); ++i) {
    const int distance = i == 0 ? instruction_bytes : sass[i].offset - sass[i - 1].offset;
    lines.push_back(sass_line(sass[i], distance));
  }
  return lines;
}

std::vector<SassRecord> sass_from_lines(int start_offset, const std::vector<std::string>& lines) {
  std::vector<SassRecord> sass;
  sass.reserve(lines.size());
  int expected_offset = start_offset;
  for (const std::string& line : lines) {
    sass.push_back(sass_from_line(line, expected_offset));
    expected_offset = sass.back().offset + instruction_bytes;
  }
  return sass;
}

}  // namespace ptxlat::results
