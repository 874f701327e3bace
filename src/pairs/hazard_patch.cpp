// SPDX-License-Identifier: Apache-2.0
#include "pairs/hazard_patch.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "loops/patch.h"
#include "sass/opcodes.h"
#include "sass/results.h"

namespace ptxlat::pairs {

namespace {

constexpr int longest_stall = 11;  // without the yield hint
constexpr int padding = 2;         // NOPs before the code, and at least as many after it

sass::InstructionWord with_stall(sass::InstructionWord word, int stall) {
  auto control = sass::control_word(word);
  control.stall_count = stall;
  control.yields = false;
  control.reuse = 0;
  assert(is_valid(control));
  return sass::with_control(word, control);
}

sass::InstructionWord nothing_for(int stall) { return with_stall(loops::nothing(), stall); }

// Volta and later: the destination is in bits 16 to 23 (read in cubins of ptxas 11.8 to 13.0).
constexpr int destination_bit = 16;
int destination_of(const sass::InstructionWord& word) { return static_cast<int>(word.low >> destination_bit & 0xff); }
sass::InstructionWord with_destination(sass::InstructionWord word, int number) {
  word.low = (word.low & ~(std::uint64_t{0xff} << destination_bit)) | static_cast<std::uint64_t>(number)
                                                                          << destination_bit;
  return word;
}

// Leaves nothing of what was in a register: MOV Rn, RZ, under PT.
sass::InstructionWord cleared(int number) {
  constexpr std::uint64_t move = 0x7202, all_bytes = 0xf00;
  return with_stall(with_destination({move | std::uint64_t{loops::zero_register} << 32, all_bytes}, number),
                    longest_stall);
}

// The one general register that it writes, if that is where the encoding has it.
std::optional<int> only_result(const sass::Instruction& instruction) {
  const auto writes = sass::register_use(instruction.text).writes;
  if (writes.size() != 1 || writes.front().file != sass::RegisterFile::general) return std::nullopt;
  const auto opcode = sass::opcode_of(instruction.text);
  if (sass::has_wide_result(opcode)) return std::nullopt;
  if (sass::matrix_registers(opcode) != 0) return std::nullopt;  // several, which must begin at an even one
  const int number = writes.front().number;
  return destination_of(instruction.word) == number ? std::optional(number) : std::nullopt;
}

bool reads(const sass::Instruction& instruction, int number) {
  return !sass::slot_of(instruction.text, {sass::RegisterFile::general, number}).empty();
}

bool contains(const std::vector<sass::Register>& registers, const sass::Register& reg) {
  return std::find(registers.begin(), registers.end(), reg) != registers.end();
}

// Whether the code reads a register before it writes it.
bool needs(const std::vector<sass::Instruction>& code, int number) {
  const sass::Register reg{sass::RegisterFile::general, number};
  for (const auto& one : code) {
    if (reads(one, number)) return true;
    const auto use = sass::register_use(one.text);
    if (!use.is_predicated && contains(use.writes, reg)) return false;
  }
  return false;
}

// A general register that the producer reads, and neither the consumer nor the code after the window. The producer does
// not write it either.
std::optional<int> source_to_overwrite(const HazardCode& code, const std::vector<sass::Instruction>& epilogue) {
  const auto first = only_result(code.first());
  for (const auto& read : sass::register_use(code.first().text).reads) {
    if (read.file != sass::RegisterFile::general || read.number == first) continue;
    if (!reads(code.second(), read.number) && !needs(epilogue, read.number)) return read.number;
  }
  return std::nullopt;
}

// The instruction with other registers in place of some that it reads. `instead_of` has the source's place, from 0.
// Empty if they are not where the encoding has sources.
template <class InsteadOf>
std::optional<sass::InstructionWord> with_other_sources(const sass::Instruction& instruction,
                                                        const std::vector<sass::Register>& unwanted,
                                                        const InsteadOf& instead_of) {
  auto sources = loops::sources_of(instruction.word);
  const auto read = sass::register_use(instruction.text).reads;
  for (const auto& one : unwanted) {
    if (sass::slot_of(instruction.text, one).empty()) continue;
    const bool is_upper_half = !contains(read, one) && contains(unwanted, {one.file, one.number - 1});
    if (is_upper_half) continue;  // it goes with the lower one
    const auto places = std::count(sources.begin(), sources.end(), one.number);
    const bool is_there =
        one.file == sass::RegisterFile::general && places > 0 && places == std::count(read.begin(), read.end(), one);
    if (!is_there) return std::nullopt;
    for (std::size_t place = 0; place < sources.size(); ++place) {
      if (sources[place] == one.number) sources[place] = instead_of(place);
    }
  }
  return loops::with_sources(instruction.word, sources);
}

// The consumer as one that does not need the producer: it reads zero instead of each of its results.
std::optional<sass::InstructionWord> without_results(const HazardCode& code) {
  return with_other_sources(code.second(), sass::results_of(code.first().text),
                            [](std::size_t) { return loops::zero_register; });
}

// The producer as one that reads none of its own results, which may be overwritten before it does. A matrix comes later
// than any such source matters, and has sources of several registers: it stays as it is.
std::optional<sass::InstructionWord> without_own_results(const HazardCode& code) {
  const auto& first = code.first();
  const auto opcode = sass::opcode_of(first.text);
  if (sass::matrix_registers(opcode) != 0) return first.word;
  const auto results = sass::results_of(first.text);
  return with_other_sources(first, results, [&](std::size_t place) {
    const bool is_pair =
        sass::has(opcode, sass::Trait::wide_sources) || (opcode.starts_with("IMAD.WIDE") && place == 2);
    for (const auto* instruction : {&first, &code.second()}) {
      for (const auto& reg : sass::register_use(instruction->text).reads) {
        const bool fits = reg.file == sass::RegisterFile::general && !contains(results, reg);
        if (fits && (!is_pair || (reg.number % 2 == 0 && instruction == &first))) return reg.number;
      }
    }
    return loops::zero_register;
  });
}

// The two instructions as the hazard needs them.
std::array<sass::InstructionWord, 2> words_of(const HazardCode& code, Hazard hazard) {
  std::array words{code.first().word, code.second().word};
  if (hazard == Hazard::write_after_write)
    words = {*without_own_results(code), with_destination(*without_results(code), code.passed.number)};
  if (hazard == Hazard::write_after_read) words[1] = with_destination(words[1], *code.overwritten);
  if (hazard == Hazard::unawaited_read) {
    auto control = sass::control_word(words[1]);
    control.wait_mask &= ~(1 << code.first().control.write_scoreboard);
    words[1] = sass::with_control(words[1], control);
  }
  return words;
}

}  // namespace

const char* to_string(Hazard hazard) {
  constexpr std::array names = {"read after write", "read without wait", "write after write", "write after read"};
  return names.at(static_cast<std::size_t>(hazard));
}

bool is_valid(const sass::ControlWord& control) {
  return control.stall_count >= 1 && control.stall_count <= 15 &&
         (control.stall_count <= longest_stall || control.yields);
}

HazardCode find_hazard(const sass::Window& window) {
  HazardCode found;
  if (window.layout != sass::CodeLayout::volta) {
    found.problem = "machine code of this layout is not written over";
    return found;
  }
  const auto& all = window.instructions;
  found.end = all.back();
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    found.slots.push_back(all[i].offset);
    if (sass::opcode_of(all[i].text) == "NOP" || loops::is_place(all[i])) continue;
    found.code.push_back(all[i]);
    if (sass::changes_control_flow(all[i].text)) found.problem = "its code branches";
    if (sass::has(sass::opcode_of(all[i].text), sass::Trait::waits)) found.problem = "its code waits";
  }
  if (!found.problem.empty()) return found;
  if (found.slots.size() < found.code.size() + places_of_hazard) {
    found.problem = "ptxas moved the places out of the window";
    return found;
  }
  for (std::size_t i = 0; i + 1 < found.code.size(); ++i) {
    for (const auto& written : sass::results_of(found.code[i].text)) {
      if (sass::slot_of(found.code[i + 1].text, written).empty()) continue;
      found.producer = i;
      found.passed = written;
      found.overwritten = source_to_overwrite(found, window.epilogue);
      return found;
    }
  }
  found.problem = "the consumer does not follow the producer";
  return found;
}

bool reads_address(const sass::Instruction& instruction) {
  const auto reads = sass::register_use(instruction.text).reads;
  return std::any_of(reads.begin(), reads.end(),
                     [&](const auto& reg) { return sass::is_in_address(instruction.text, reg); });
}

bool reaches_address(const HazardCode& code) {
  std::vector<sass::Register> made{code.passed};
  for (auto i = code.producer + 1; i < code.code.size(); ++i) {
    const auto& text = code.code[i].text;
    const bool reads_any =
        std::any_of(made.begin(), made.end(), [&](const auto& reg) { return !sass::slot_of(text, reg).empty(); });
    if (!reads_any) continue;
    if (std::any_of(made.begin(), made.end(), [&](const auto& reg) { return sass::is_in_address(text, reg); }))
      return true;
    const auto writes = sass::register_use(text).writes;
    made.insert(made.end(), writes.begin(), writes.end());
  }
  return false;
}

std::string why_not_made(const HazardCode& code, Hazard hazard) {
  if (hazard == Hazard::read_after_write) return code.waits() ? "it waits for a scoreboard" : "";
  if (hazard == Hazard::unawaited_read) return code.waits() ? "" : "its latency is fixed";
  const auto has_scoreboard = [](const sass::Instruction& one) { return sass::scoreboards_set(one.control) != 0; };
  if (has_scoreboard(code.first()) || has_scoreboard(code.second())) return "one of them has a scoreboard";
  const auto first = only_result(code.first()), second = only_result(code.second());
  if (!second) return "the consumer does not write one general register";
  if (std::any_of(code.code.begin(), code.code.end(), reads_address))
    return "an address may depend on what is overwritten";
  if (hazard == Hazard::write_after_read) {
    if (!first) return "the producer does not write one general register";
    return code.overwritten ? "" : "no source of the producer is unused elsewhere";
  }
  if (code.passed.file != sass::RegisterFile::general) return "the producer's result is not in a general register";
  if (!without_results(code)) return "the consumer cannot be made to read something else";
  if (!without_own_results(code)) return "the producer reads what is overwritten";
  return {};
}

int shortest_distance(const HazardCode& code, Hazard hazard) {
  const auto [first, second] = words_of(code, hazard);
  const bool waits = (sass::control_word(second).wait_mask & sass::scoreboards_set(sass::control_word(first))) != 0;
  return waits ? 2 : 1;
}

std::vector<sass::InstructionWord> hazard_words(const HazardCode& code, Hazard hazard, Arrangement arrangement,
                                                int distance) {
  assert(distance >= 1 && distance <= longest_distance);
  const auto [first, second] = words_of(code, hazard);
  std::vector<sass::InstructionWord> words(padding, nothing_for(longest_stall));
  for (std::size_t i = 0; i < code.producer; ++i) words.push_back(with_stall(code.code[i].word, longest_stall));
  const auto leading = arrangement == Arrangement::pair             ? first
                       : arrangement == Arrangement::consumer_first ? second
                                                                    : loops::nothing();
  words.push_back(with_stall(leading, std::min(distance, longest_stall)));
  for (int left = distance - longest_stall; left > 0; left -= longest_stall)
    words.push_back(nothing_for(std::min(left, longest_stall)));
  words.push_back(with_stall(arrangement == Arrangement::consumer_first ? first : second, longest_stall));
  // What the consumer no longer writes would be left from something else, and not be the same in each launch.
  const auto unwritten = is_read(hazard) ? std::nullopt : only_result(code.second());
  const bool is_cleared =
      unwritten && !contains(sass::results_of(code.first().text), {sass::RegisterFile::general, *unwritten});
  words.push_back(is_cleared ? cleared(*unwritten) : nothing_for(longest_stall));
  for (std::size_t i = code.producer + 2; i < code.code.size(); ++i)
    words.push_back(with_stall(code.code[i].word, longest_stall));
  for (int i = 1; i < padding; ++i) words.push_back(nothing_for(longest_stall));
  while (words.size() < code.slots.size()) words.push_back(nothing_for(1));
  assert(words.size() == code.slots.size());
  // What is in flight must not meet the code after the window.
  words.push_back(loops::end_behind(code.end, words).word);
  return words;
}

int nops_within(int distance) { return (distance - 1) / longest_stall; }

std::vector<std::uint8_t> with_hazard(const std::vector<std::uint8_t>& cubin, const std::string& kernel,
                                      const HazardCode& code, const std::vector<sass::InstructionWord>& words) {
  std::vector<sass::PlacedWord> placed;
  for (std::size_t i = 0; i < code.slots.size(); ++i) placed.push_back({code.slots[i], words[i]});
  placed.push_back({code.end.offset, words.back()});
  return sass::write_words(cubin, kernel, placed);
}

}  // namespace ptxlat::pairs
