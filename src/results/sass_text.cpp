// SPDX-License-Identifier: Apache-2.0
#include "results/sass_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "results/json_scanner.h"

namespace ptxlat::results {

namespace {

constexpr int instruction_bytes = 16;

void add_number(std::string& line, const char* before, int number) {
  line += before;
  line += std::to_string(number);
}

std::string sass_line(const SassRecord& instruction, int distance) {
  std::string line;
  if (distance != instruction_bytes) line += fmt::format("{:+x} ", distance);
  add_number(line, "S", instruction.stall_count);
  if (instruction.yields) line += " Y";
  if (instruction.write_scoreboard != 7) add_number(line, " W", instruction.write_scoreboard);
  if (instruction.read_scoreboard != 7) add_number(line, " R", instruction.read_scoreboard);
  if (instruction.wait_mask != 0) {
    line += " B";
    for (int scoreboard = 0; scoreboard < 6; ++scoreboard) {
      if (instruction.wait_mask >> scoreboard & 1) line += static_cast<char>('0' + scoreboard);
    }
  }
  if (instruction.reuse != 0) add_number(line, " U", instruction.reuse);
  line += " | ";
  line += instruction.text;
  return line;
}

int wait_mask_from(std::string_view scoreboards) {
  int mask = 0;
  for (const char digit : scoreboards) {
    if (digit < '0' || digit > '5') throw std::invalid_argument(fmt::format("no such scoreboard: {}", scoreboards));
    mask |= 1 << (digit - '0');
  }
  return mask;
}

// A number of at most this many bits: a field of the control word, or half of the distance that an int can hold.
int number_in(std::string_view digits, int base, int bits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < 0 || number >> bits != 0)
    throw std::invalid_argument(fmt::format("not a number of {} bits: {}", bits, digits));
  return number;
}
constexpr int offset_bits = 24, field_bits = 8;

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

SassLine read_sass_line(std::string_view line) {
  // The text may contain a '|' (an absolute value); the control fields do not.
  const std::size_t bar = line.find(" | ");
  if (bar == std::string_view::npos) throw std::invalid_argument(fmt::format("not an instruction: {}", line));
  SassLine read;
  read.text = line.substr(bar + 3);
  for (std::size_t begin = 0; begin < bar;) {
    const std::size_t end = std::min(line.find(' ', begin), bar);
    const std::string_view value = line.substr(begin + 1, end - begin - 1);
    switch (line[begin]) {
      case '+':
        read.distance = number_in(value, 16, offset_bits);
        break;
      case '-':
        read.distance = -number_in(value, 16, offset_bits);
        break;
      case 'S':
        read.control.stall_count = number_in(value, 10, field_bits);
        break;
      case 'Y':
        read.control.yields = true;
        break;
      case 'W':
        read.control.write_scoreboard = number_in(value, 10, field_bits);
        break;
      case 'R':
        read.control.read_scoreboard = number_in(value, 10, field_bits);
        break;
      case 'B':
        read.control.wait_mask = wait_mask_from(value);
        break;
      case 'U':
        read.control.reuse = number_in(value, 10, field_bits);
        break;
      default:
        throw std::invalid_argument(fmt::format("unknown control field: {}", line));
    }
    begin = end + 1;
  }
  return read;
}

int sass_offset(const std::string& hexadecimal) { return number_in(hexadecimal, 16, offset_bits); }

std::vector<SassRecord> sass_from_json(int start_offset, std::string_view json) {
  std::vector<SassRecord> sass;
  constexpr std::size_t usual_line = 48;
  sass.reserve(json.size() / usual_line + 1);
  std::string room;
  int expected_offset = start_offset;
  JsonScanner scanner(json);
  scanner.array([&] {
    const auto line = scanner.string_or_view(room);
    const auto [distance, control, text] = read_sass_line(line);
    sass.push_back({expected_offset + distance - instruction_bytes, std::string(text), control.stall_count,
                    control.yields, control.write_scoreboard, control.read_scoreboard, control.wait_mask,
                    control.reuse});
    expected_offset = sass.back().offset + instruction_bytes;
    if (std::abs(expected_offset) >> (offset_bits + 1) != 0)
      throw std::invalid_argument(fmt::format("too far away: {}", line));
  });
  scanner.end();
  return sass;
}

}  // namespace ptxlat::results
