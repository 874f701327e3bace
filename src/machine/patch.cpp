// SPDX-License-Identifier: Apache-2.0
#include "machine/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "sass/audit.h"
#include "sass/dataflow.h"
#include "sass/opcodes.h"

namespace ptxlat::machine {

namespace {

constexpr int source_bits[] = {24, 32, 64};
constexpr int scoreboards = 6;  // of a warp: the bits of a scoreboard mask

bool leaves(const sass::Instruction& instruction) { return sass::changes_control_flow(instruction.text); }

// The loop's own instructions: those after the branch into it, except places and the second clock.
Code loop_of(const Code& code) {
  Code loop;
  const auto begin = std::find_if(code.begin() + 1, code.end(), leaves);
  if (begin == code.end()) return loop;
  std::copy_if(begin + 1, code.end() - 1, std::back_inserter(loop), [](const auto& i) { return !is_place(i); });
  return loop;
}

// Registers that these read or write, except in overwritten instructions. Registers that only the instruction under
// test needs for a while are free again there, and ptxas may use them.
std::set<sass::Register> registers_of_loop(const Code& code, const Code& steering) {
  std::set<sass::Register> registers;
  const auto is_steering = [&](const sass::Instruction& instruction) {
    return std::any_of(steering.begin(), steering.end(), [&](const auto& s) { return s.offset == instruction.offset; });
  };
  for (const auto& instruction : loop_of(code)) {
    const auto use = sass::register_use(instruction.text);
    for (const auto* all : {&use.reads, &use.writes}) {
      for (const auto& one : *all) {
        if (!is_steering(instruction) || !sass::is_predicate(one.file)) registers.insert(one);
      }
    }
  }
  return registers;
}

// The predicate that guards an instruction, bits 12 to 14 of every word, and the one that an integer comparison makes,
// bits 81 to 83 (read in cubins of ptxas 11.8 to 13.0).
sass::InstructionWord with_guard(sass::InstructionWord word, int predicate) {
  word.low = (word.low & ~(std::uint64_t{7} << 12)) | static_cast<std::uint64_t>(predicate) << 12;
  return word;
}
sass::InstructionWord with_result(sass::InstructionWord word, int predicate) {
  word.high = (word.high & ~(std::uint64_t{7} << 17)) | static_cast<std::uint64_t>(predicate) << 17;
  return word;
}

// If the code writes the predicate of the loop's branch, the comparison and the branch get one that is unused
// elsewhere.
void steer_by_another_predicate(const Code& code, const std::set<sass::Register>& written, Saturable& found) {
  const auto loop = loop_of(code);
  const auto is_back = [](const auto& instruction) { return leaves(instruction) && instruction.text.starts_with('@'); };
  const auto branch = std::find_if(loop.rbegin(), loop.rend(), is_back);
  const auto compares = [](const auto& instruction) { return sass::opcode_of(instruction.text).starts_with("ISETP"); };
  const auto comparison = std::find_if(loop.rbegin(), loop.rend(), compares);
  if (branch == loop.rend() || comparison == loop.rend()) return;
  const auto made = sass::register_use(comparison->text).writes;
  if (made.size() != 1 || made.front().file != sass::RegisterFile::predicate || !written.contains(made.front())) return;
  const auto read = sass::register_use(branch->text).reads;
  if (std::find(read.begin(), read.end(), made.front()) == read.end()) return;
  std::set<sass::Register> used;
  for (const auto& instruction : code) {
    const auto use = sass::register_use(instruction.text);
    used.insert(use.reads.begin(), use.reads.end());
    used.insert(use.writes.begin(), use.writes.end());
  }
  constexpr int highest = 6;  // P7 is always true
  if (used.contains({sass::RegisterFile::predicate, highest})) return;
  const auto renamed = [&](sass::Instruction instruction, const sass::InstructionWord& word) {
    const auto name = fmt::format("P{}", made.front().number);
    instruction.text.replace(instruction.text.find(name), name.size(), fmt::format("P{}", highest));
    instruction.word = word;
    return instruction;
  };
  found.steering = {renamed(*comparison, with_result(comparison->word, highest)),
                    renamed(*branch, with_guard(branch->word, highest))};
}

// Code of one instruction is recognised by its opcode, or else by its operation; code of several, whose order depends
// on the free registers, by their number: nothing else may be there.
Code take(Code& before_loop, const std::vector<std::string>& opcodes) {
  if (opcodes.size() > 1) return before_loop.size() == opcodes.size() ? before_loop : Code{};
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

struct Registers {
  std::set<sass::Register> needed, written;  // needed: read before the code itself has written them
};

Registers registers_of(const Code& code) {
  Registers registers;
  for (const auto& instruction : code) {
    const auto use = sass::register_use(instruction.text);
    for (const auto& one : use.reads) {
      if (!registers.written.contains(one)) registers.needed.insert(one);
    }
    registers.written.insert(use.writes.begin(), use.writes.end());
  }
  return registers;
}

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

// Whether an access could go to a wrong address, because a copy writes a register too early for the one before it: one
// that a load has yet to write (MOV R9; LD R9, [R8]), or one that a store has yet to read and that holds different
// values on the way (MOV R8; IADD3 R8, R8; ST [R8]). A wrong value elsewhere does not matter.
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

// If all the code does to an address is to move it, the access takes it from where it was: ldmatrix is MOV R8, R13;
// LDSM R8, [R8].
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

bool have_common(const std::set<sass::Register>& some, const std::set<sass::Register>& others) {
  return std::any_of(some.begin(), some.end(), [&](const auto& one) { return others.contains(one); });
}

}  // namespace

bool is_place(const sass::Instruction& instruction) { return sass::opcode_of(instruction.text) == "PMTRIG"; }

sass::Instruction end_behind(sass::Instruction end, const std::vector<sass::InstructionWord>& words) {
  for (const auto& word : words) end.control.wait_mask |= sass::scoreboards_set(sass::control_word(word));
  end.control.wait_mask &= (1 << scoreboards) - 1;
  end.word = sass::with_control(end.word, end.control);
  return end;
}

Code code_before_loop(const sass::Window& window) {
  const auto& code = window.instructions;
  return {code.begin() + 1, std::find_if(code.begin() + 1, std::find_if(code.begin(), code.end(), is_place), leaves)};
}

Saturable find_saturable(const sass::Window& window, const std::vector<std::vector<std::string>>& wanted, int places) {
  Saturable found;
  if (window.layout != sass::CodeLayout::volta) {
    found.problem = "machine code of this layout is not written over";
    return found;
  }
  const auto& code = window.instructions;
  found.end = code.back();
  const auto first = std::find_if(code.begin(), code.end(), is_place);
  for (auto at = first; at != code.end(); ++at) {
    if (is_place(*at)) found.places.push_back(at->offset);
  }
  if (std::cmp_not_equal(found.places.size(), places)) {
    found.problem = fmt::format("the loop has {} places and not {}", found.places.size(), places);
    return found;
  }
  Code before = code_before_loop(window);
  for (const auto& opcodes : wanted) {
    found.codes.push_back(take(before, opcodes));
    if (!found.codes.back().empty()) continue;
    const bool branches = std::any_of(opcodes.begin(), opcodes.end(), sass::changes_control_flow);
    found.problem = branches ? "its code branches" : "the instruction is another one beside a loop";
    return found;
  }
  Registers of_all;
  for (auto& instructions : found.codes) {
    if (overtakes(instructions)) take_unmoved_address(instructions);
    const auto registers = registers_of(instructions);
    if (have_common(registers.needed, registers.written))
      found.problem = "a copy would read the result of the one before it";
    if (found.problem.empty() && overtakes(instructions))
      found.problem = "a copy would write an address too early for the one before it";
    of_all.needed.insert(registers.needed.begin(), registers.needed.end());
    of_all.written.insert(registers.written.begin(), registers.written.end());
  }
  steer_by_another_predicate(code, of_all.written, found);
  const auto of_loop = registers_of_loop(code, found.steering);
  // The loop would never end. And what prepares the code's operands is not in the loop.
  if (have_common(of_all.written, of_loop)) found.problem = "it writes a register that the loop counts with";
  if (found.problem.empty() && have_common(of_all.needed, of_loop))
    found.problem = "it reads a register that the loop counts with";
  return found;
}

std::map<std::string, int> more_opcodes(const sass::Window& longer, const sass::Window& shorter) {
  std::map<std::string, int> more;
  for (const auto& opcode : sass::opcodes(longer)) ++more[opcode];
  for (const auto& opcode : sass::opcodes(shorter)) --more[opcode];
  std::erase_if(more, [](const auto& entry) { return entry.second == 0; });
  return more;
}

std::vector<std::string> opcodes_of_copies(const sass::Window& shorter, const sass::Window& longer, int copies) {
  std::vector<std::string> opcodes;
  int count = 0;
  for (const auto& [opcode, difference] : more_opcodes(longer, shorter)) {
    if (difference < 0) return {};
    opcodes.push_back(opcode);
    count += difference;
  }
  return count == copies ? opcodes : std::vector<std::string>{};
}

std::vector<std::string> opcodes_of(const Code& code) {
  std::vector<std::string> opcodes;
  for (const auto& instruction : code) opcodes.emplace_back(sass::opcode_of(instruction.text));
  return opcodes;
}

std::vector<sass::InstructionWord> copy_of(const Code& code) {
  std::vector<sass::InstructionWord> words;
  for (const auto& instruction : code) {
    auto control = instruction.control;
    if (code.size() == 1) {
      control.stall_count = 1;
      control.yields = false;
      if (control.write_scoreboard != sass::ControlWord::no_scoreboard)
        control.read_scoreboard = sass::ControlWord::no_scoreboard;
      control.wait_mask = 0;
    }
    control.reuse = 0;
    words.push_back(sass::with_control(instruction.word, control));
  }
  if (code.size() > 1) {
    auto first = sass::control_word(words.front());
    first.wait_mask = 0;
    words.front() = sass::with_control(words.front(), first);
  }
  return words;
}

std::vector<std::uint8_t> fill_places(const std::vector<std::uint8_t>& cubin, const std::string& kernel,
                                      const Saturable& saturable, const std::vector<sass::InstructionWord>& words) {
  std::vector<sass::PlacedWord> placed;
  for (const auto& instruction : saturable.steering) placed.push_back({instruction.offset, instruction.word});
  for (std::size_t i = 0; i < words.size(); ++i) placed.push_back({saturable.places[i], words[i]});
  placed.push_back({saturable.end.offset, end_behind(saturable.end, words).word});
  return sass::write_words(cubin, kernel, placed);
}

sass::InstructionWord nothing() {
  constexpr std::uint64_t nop_always = 0x7918;  // NOP, under PT
  sass::ControlWord control;
  control.stall_count = 1;
  return sass::with_control({nop_always, 0}, control);
}

sass::InstructionWord with_sources(sass::InstructionWord word, const std::vector<int>& registers) {
  for (std::size_t i = 0; i < std::size(source_bits); ++i) {
    auto& half = source_bits[i] < 64 ? word.low : word.high;
    const int bit = source_bits[i] % 64;
    half = (half & ~(std::uint64_t{0xff} << bit)) | static_cast<std::uint64_t>(registers[i]) << bit;
  }
  return word;
}

std::vector<int> sources_of(const sass::InstructionWord& word) {
  std::vector<int> registers;
  for (const int bit : source_bits)
    registers.push_back(static_cast<int>((bit < 64 ? word.low : word.high) >> bit % 64 & 0xff));
  return registers;
}

sass::Window with_first_copy(const sass::Window& window, const Saturable& saturable, const std::vector<Code>& turns) {
  sass::Window shown{{}, {}, {}, window.layout};
  std::vector<sass::Instruction> copy;
  std::vector<sass::InstructionWord> all_words;
  for (const auto& code : turns) {
    const auto words = copy_of(code);
    all_words.insert(all_words.end(), words.begin(), words.end());
    for (std::size_t i = 0; i < words.size(); ++i)
      copy.push_back({0, words[i], sass::control_word(words[i]), code[i].text});
  }
  std::size_t placed = 0;
  for (const auto& instruction : window.instructions) {
    if (!is_place(instruction)) {
      const auto other = std::find_if(saturable.steering.begin(), saturable.steering.end(),
                                      [&](const auto& steering) { return steering.offset == instruction.offset; });
      shown.instructions.push_back(other == saturable.steering.end() ? instruction : *other);
    } else if (placed < copy.size()) {
      copy[placed].offset = saturable.places[placed];
      shown.instructions.push_back(copy[placed++]);
    }
  }
  shown.instructions.back() = end_behind(saturable.end, all_words);
  return shown;
}

}  // namespace ptxlat::machine
