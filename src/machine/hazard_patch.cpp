// SPDX-License-Identifier: Apache-2.0
#include "machine/hazard_patch.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "machine/patch.h"
#include "sass/opcodes.h"

namespace ptxlat::machine {

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

sass::InstructionWord nothing_for(int stall) { return with_stall(nothing(), stall); }

// Volta and later: the destination is in bits 16 to 23 (read in cubins of ptxas 11.8 to 13.0).
constexpr int destination_bit = 16;
int destination_of(const sass::InstructionWord& word) { return static_cast<int>(word.low >> destination_bit & 0xff); }
sass::InstructionWord with_destination(sass::InstructionWord word, int number) {
  word.low = (word.low & ~(std::uint64_t{0xff} << destination_bit)) | static_cast<std::uint64_t>(number)
                                                                          << destination_bit;
  return word;
}

// The one general register that it writes, if that is where the encoding has it.
std::optional<int> only_result(const sass::Instruction& instruction) {
  const auto writes = sass::register_use(instruction.text).writes;
  if (writes.size() != 1 || writes.front().file != sass::RegisterFile::general) return std::nullopt;
  const auto opcode = sass::opcode_of(instruction.text);
  if (sass::has_wide_result(opcode)) return std::nullopt;
  // A tile of several registers, which must begin at an even one.
  if (opcode.substr(1).starts_with("MMA.")) return std::nullopt;
  const int number = writes.front().number;
  return destination_of(instruction.word) == number ? std::optional(number) : std::nullopt;
}

bool reads(const sass::Instruction& instruction, int number) {
  return !sass::slot_of(instruction.text, {sass::RegisterFile::general, number}).empty();
}

// Whether the code reads a register before it writes it.
bool needs(const std::vector<sass::Instruction>& code, int number) {
  const sass::Register reg{sass::RegisterFile::general, number};
  for (const auto& one : code) {
    if (reads(one, number)) return true;
    const auto use = sass::register_use(one.text);
    if (!use.is_predicated && std::find(use.writes.begin(), use.writes.end(), reg) != use.writes.end()) return false;
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

// The two instructions as the hazard needs them.
std::array<sass::InstructionWord, 2> words_of(const HazardCode& code, Hazard hazard) {
  std::array words{code.first().word, code.second().word};
  if (hazard == Hazard::write_after_write) words[0] = with_destination(words[0], *only_result(code.second()));
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
    if (sass::opcode_of(all[i].text) == "NOP" || is_place(all[i])) continue;
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
    for (const auto& written : sass::register_use(found.code[i].text).writes) {
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

std::string why_not_made(const HazardCode& code, Hazard hazard) {
  if (hazard == Hazard::read_after_write) return code.waits() ? "it waits for a scoreboard" : "";
  if (hazard == Hazard::unawaited_read && sass::opcode_of(code.first().text).starts_with("ATOM"))
    return "an atomic whose result is not waited for faulted on sm_90, and it is not known why";
  if (hazard == Hazard::unawaited_read) return code.waits() ? "" : "its latency is fixed";
  const auto has_scoreboard = [](const sass::Instruction& one) { return sass::scoreboards_set(one.control) != 0; };
  if (has_scoreboard(code.first()) || has_scoreboard(code.second())) return "one of them has a scoreboard";
  const auto first = only_result(code.first()), second = only_result(code.second());
  if (!first || !second) return "one of them does not write one general register";
  if (hazard == Hazard::write_after_write && reads(code.second(), *second))
    return "the consumer reads what it overwrites";
  // With another destination the producer's result is gone, and what the consumer reads instead is left from before.
  if (hazard == Hazard::write_after_write && reads(code.second(), *first))
    return "the consumer reads what the producer would no longer write";
  if (hazard == Hazard::write_after_write) return *first == *second ? "they write the same register already" : "";
  return code.overwritten ? "" : "no source of the producer is unused elsewhere";
}

std::vector<sass::InstructionWord> hazard_words(const HazardCode& code, Hazard hazard, Arrangement arrangement,
                                                int distance) {
  assert(distance >= 1 && distance <= longest_distance);
  const auto [first, second] = words_of(code, hazard);
  std::vector<sass::InstructionWord> words(padding, nothing_for(longest_stall));
  for (std::size_t i = 0; i < code.producer; ++i) words.push_back(with_stall(code.code[i].word, longest_stall));
  const auto leading = arrangement == Arrangement::pair             ? first
                       : arrangement == Arrangement::consumer_first ? second
                                                                    : nothing();
  words.push_back(with_stall(leading, std::min(distance, longest_stall)));
  for (int left = distance - longest_stall; left > 0; left -= longest_stall)
    words.push_back(nothing_for(std::min(left, longest_stall)));
  words.push_back(with_stall(arrangement == Arrangement::consumer_first ? first : second, longest_stall));
  for (std::size_t i = code.producer + 2; i < code.code.size(); ++i)
    words.push_back(with_stall(code.code[i].word, longest_stall));
  for (int i = 0; i < padding; ++i) words.push_back(nothing_for(longest_stall));
  while (words.size() < code.slots.size()) words.push_back(nothing_for(1));
  assert(words.size() == code.slots.size());
  // What is in flight must not meet the code after the window.
  words.push_back(end_behind(code.end, words).word);
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

}  // namespace ptxlat::machine
