// SPDX-License-Identifier: Apache-2.0
#include "loops/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "loops/copy_loops.h"
#include "sass/audit.h"
#include "sass/dataflow.h"
#include "sass/opcodes.h"

namespace ptxlat::loops {

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

// What these read and write, except in overwritten instructions. Registers that only the instruction under test needs
// for a while are free again there, and ptxas may use them.
struct LoopRegisters {
  std::set<sass::Register> read, written;
};
LoopRegisters registers_of_loop(const Code& code, const Code& steering) {
  LoopRegisters registers;
  const auto is_steering = [&](const sass::Instruction& instruction) {
    return std::any_of(steering.begin(), steering.end(), [&](const auto& s) { return s.offset == instruction.offset; });
  };
  for (const auto& instruction : loop_of(code)) {
    const auto use = sass::register_use(instruction.text);
    const auto put = [&](const std::vector<sass::Register>& all, std::set<sass::Register>& into) {
      for (const auto& one : all) {
        if (!is_steering(instruction) || !sass::is_predicate(one.file)) into.insert(one);
      }
    };
    put(use.reads, registers.read);
    put(use.writes, registers.written);
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
    found.codes.push_back(take_code(before, opcodes));
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
  if (have_common(of_all.written, of_loop.read) || have_common(of_all.written, of_loop.written))
    found.problem = "it writes a register that the loop counts with";
  if (found.problem.empty() && have_common(of_all.needed, of_loop.written))
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

sass::InstructionWord copy_without_registers(const sass::Instruction& instruction) {
  auto word = copy_of({instruction}).front();
  const auto numbers = [](const std::vector<sass::Register>& all, sass::RegisterFile file) {
    std::set<int> found;
    for (const auto& one : all) {
      if (one.file == file) found.insert(one.number);
    }
    return found;
  };
  const auto use = sass::register_use(instruction.text);
  const auto general = numbers(use.reads, sass::RegisterFile::general);
  const auto uniform = numbers(use.reads, sass::RegisterFile::uniform);
  auto sources = sources_of(word);
  for (auto& source : sources) {
    if (general.contains(source) && !uniform.contains(source)) source = zero_register;
  }
  word = with_sources(word, sources);
  constexpr int result_bit = 16;
  const auto result = static_cast<int>(word.low >> result_bit & 0xff);
  if (numbers(use.writes, sass::RegisterFile::general).contains(result))
    word.low |= std::uint64_t{zero_register} << result_bit;
  return word;
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

}  // namespace ptxlat::loops
