// SPDX-License-Identifier: Apache-2.0
#include "loops/copied_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sass/audit.h"
#include "sass/opcodes.h"
#include "sass/results.h"

namespace ptxlat::loops {

namespace {

// Whether what an instruction signals by this scoreboard is still in flight when its copy of the code ends.
bool is_in_flight(const Code& code, std::size_t at, int scoreboard) {
  if (scoreboard == sass::ControlWord::no_scoreboard) return false;
  return std::none_of(code.begin() + static_cast<std::ptrdiff_t>(at) + 1, code.end(),
                      [&](const auto& later) { return (later.control.wait_mask >> scoreboard & 1) != 0; });
}

// How many registers an address has of which the first is named: a generic one two (LD's [R8] is R8 and R9), though
// "[R8.64]" names both, and a place in a surface one for each coordinate.
int registers_of_address(const std::string& opcode) {
  constexpr std::array<std::pair<std::string_view, int>, 5> coordinates = {
      {{".1D_ARRAY", 2}, {".2D_ARRAY", 3}, {".1D", 1}, {".2D", 2}, {".3D", 3}}};
  for (const auto& [shape, count] : coordinates) {
    if (opcode.find(shape) != std::string::npos) return count;
  }
  constexpr std::array<std::string_view, 4> generic = {"LD", "ST", "ATOM", "RED"};
  return std::find(generic.begin(), generic.end(), sass::family_of(opcode)) == generic.end() ? 1 : 2;
}

std::set<sass::Register> address_of(const sass::Instruction& instruction) {
  const bool names_all = instruction.text.find(".64") != std::string::npos;
  const int count = names_all ? 1 : registers_of_address(std::string(sass::opcode_of(instruction.text)));
  std::set<sass::Register> address;
  for (const auto& one : sass::register_use(instruction.text).reads) {
    if (!sass::is_in_address(instruction.text, one)) continue;
    for (int i = 0; i < count; ++i) address.insert({one.file, one.number + i});
  }
  return address;
}

// Registers on which addresses of the code depend.
std::set<sass::Register> registers_of_addresses(const Code& code) {
  std::set<sass::Register> found;
  for (const auto& instruction : code) found.merge(address_of(instruction));
  for (auto instruction = code.rbegin(); instruction != code.rend(); ++instruction) {
    const auto use = sass::register_use(instruction->text);
    const auto is_found = [&](const auto& one) { return found.contains(one); };
    if (std::any_of(use.writes.begin(), use.writes.end(), is_found)) found.insert(use.reads.begin(), use.reads.end());
  }
  return found;
}

}  // namespace

Registers registers_of(const Code& code) {
  Registers registers;
  for (const auto& instruction : code) {
    const auto results = sass::results_of(instruction.text);
    const bool has_two = sass::reads_texture(sass::opcode_of(instruction.text));
    for (const auto& one : sass::register_use(instruction.text).reads) {
      const bool is_result = has_two && std::find(results.begin(), results.end(), one) != results.end();
      if (!is_result && !registers.written.contains(one)) registers.needed.insert(one);
    }
    registers.written.insert(results.begin(), results.end());
  }
  return registers;
}

bool have_common(const std::set<sass::Register>& some, const std::set<sass::Register>& others) {
  return std::any_of(some.begin(), some.end(), [&](const auto& one) { return others.contains(one); });
}

Code without_preparations(const Code& before_loop) {
  Code code, preparations;
  for (const auto& instruction : before_loop) {
    const auto opcode = sass::opcode_of(instruction.text);
    const bool is_never_executed = instruction.text.starts_with("@!PT ");
    const bool prepares =
        is_never_executed || sass::fills_uniform_register(opcode) || sass::has(opcode, sass::Trait::fills);
    (prepares ? preparations : code).push_back(instruction);
  }
  const auto written = registers_of(code).written;
  return have_common(written, registers_of(preparations).needed) ? Code{} : code;
}

Code take_code(Code& before_loop, const std::vector<std::string>& opcodes) {
  if (opcodes.size() > 1) {
    if (before_loop.size() == opcodes.size()) return before_loop;
    const auto code = without_preparations(before_loop);
    const auto of_code = opcodes_of(code);
    return std::is_permutation(of_code.begin(), of_code.end(), opcodes.begin(), opcodes.end()) ? code : Code{};
  }
  const auto first_with = [&](std::string (*name_of)(std::string_view)) {
    const auto wanted = name_of(opcodes.front());
    return std::find_if(before_loop.begin(), before_loop.end(),
                        [&](const auto& instruction) { return name_of(sass::opcode_of(instruction.text)) == wanted; });
  };
  auto found = first_with([](std::string_view opcode) { return std::string(opcode); });
  if (found == before_loop.end()) found = first_with(sass::operation_of);
  if (found == before_loop.end()) return {};
  Code taken{*found};
  before_loop.erase(found);
  return taken;
}

void take_unmoved_address(Code& code) {
  if (code.size() != 2 || sass::opcode_of(code[0].text) != "MOV") return;
  const auto moved = sass::register_use(code[0].text);
  if (moved.reads.size() != 1 || moved.writes.size() != 1) return;
  const auto from = moved.reads.front(), to = moved.writes.front();
  auto& access = code[1];
  auto sources = sources_of(access.word);
  const auto in_address = fmt::format("[R{}", to.number);
  const auto at = access.text.find(in_address + ']');
  const bool is_general = from.file == sass::RegisterFile::general && to.file == from.file;
  if (!is_general || at == std::string::npos || sources.front() != to.number) return;
  if (registers_of_address(std::string(sass::opcode_of(access.text))) != 1) return;
  sources.front() = from.number;
  access.word = with_sources(access.word, sources);
  access.text.replace(at, in_address.size(), fmt::format("[R{}", from.number));
}

bool overtakes(const Code& code) {
  const auto of_addresses = registers_of_addresses(code);
  const auto writers = [&](const sass::Register& one) {
    return std::count_if(code.begin(), code.end(), [&](const auto& instruction) {
      const auto writes = sass::register_use(instruction.text).writes;
      return std::find(writes.begin(), writes.end(), one) != writes.end();
    });
  };
  const auto could_be_wrong = [&](const auto& one) { return of_addresses.contains(one) && writers(one) > 1; };
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto use = sass::register_use(code[i].text);
    auto reads = address_of(code[i]);
    reads.insert(use.reads.begin(), use.reads.end());
    if (is_in_flight(code, i, code[i].control.write_scoreboard) &&
        std::any_of(use.writes.begin(), use.writes.end(), could_be_wrong))
      return true;
    if (is_in_flight(code, i, code[i].control.read_scoreboard) &&
        std::any_of(reads.begin(), reads.end(), could_be_wrong))
      return true;
  }
  return false;
}

}  // namespace ptxlat::loops
