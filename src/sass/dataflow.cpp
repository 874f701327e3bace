// SPDX-License-Identifier: Apache-2.0
#include "sass/dataflow.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "sass/opcodes.h"

namespace ptxlat::sass {

namespace {

constexpr Register condition_code{RegisterFile::condition_code, 0};
constexpr int all_predicates = 7;  // P0…P6

// "R12.64", "|R3|.reuse", "-UR4", "!P0", "R12.H0_H0" → its register; RZ, PT, literals and addresses → none.
std::optional<Register> register_in(std::string_view operand) {
  while (!operand.empty() && (operand.front() == '-' || operand.front() == '|' || operand.front() == '!' ||
                              operand.front() == '~' || operand.front() == '+')) {
    operand.remove_prefix(1);
  }
  RegisterFile file{};
  std::size_t prefix = 1;
  if (operand.starts_with("UR")) {
    file = RegisterFile::uniform, prefix = 2;
  } else if (operand.starts_with("UP")) {
    file = RegisterFile::uniform_predicate, prefix = 2;
  } else if (operand.starts_with('R')) {
    file = RegisterFile::general;
  } else if (operand.starts_with('P')) {
    file = RegisterFile::predicate;
  } else {
    return std::nullopt;
  }
  int number = 0;
  std::size_t digits = 0;
  for (std::size_t i = prefix; i < operand.size() && std::isdigit(static_cast<unsigned char>(operand[i]));
       ++i, ++digits) {
    number = number * 10 + (operand[i] - '0');
    if (digits > 3) return std::nullopt;  // no register of any GPU
  }
  if (digits == 0) return std::nullopt;
  return Register{file, number};
}

bool is_predicate_operand(std::string_view operand) {
  if (operand == "PT" || operand == "UPT") return true;
  const auto reg = register_in(operand);
  return reg && operand.front() != '!' && is_predicate(reg->file);
}

bool is_general_register(std::string_view operand) {
  const auto name = operand.substr(0, operand.find('.'));
  if (name == "RZ" || name == "URZ") return true;
  const auto reg = register_in(operand);
  return reg && operand.front() != '!' && !is_predicate(reg->file);
}

std::vector<std::string_view> operands_of(std::string_view text) {
  std::vector<std::string_view> operands;
  int depth = 0;
  std::size_t start = 0;
  const auto add = [&](std::size_t end) {
    auto operand = text.substr(start, end - start);
    while (!operand.empty() && operand.front() == ' ') operand.remove_prefix(1);
    while (!operand.empty() && operand.back() == ' ') operand.remove_suffix(1);
    if (!operand.empty()) operands.push_back(operand);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ']' || text[i] == '}') --depth;
    if (text[i] == ',' && depth == 0) {
      add(i);
      start = i + 1;
    }
  }
  add(text.size());
  return operands;
}

Register next_of(const Register& reg) { return {reg.file, reg.number + 1}; }

void add_registers_inside(std::string_view operand, std::vector<Register>& reads) {
  for (std::size_t i = 0; i < operand.size(); ++i) {
    const bool starts_name = std::isalpha(static_cast<unsigned char>(operand[i])) != 0 &&
                             (i == 0 || std::isalnum(static_cast<unsigned char>(operand[i - 1])) == 0);
    if (!starts_name) continue;
    if (const auto reg = register_in(operand.substr(i))) {
      reads.push_back(*reg);
      if (operand.find(".64") != std::string_view::npos) reads.push_back(next_of(*reg));
    }
  }
}

// The number of leading operands that are results.
std::size_t result_count(std::string_view opcode, const std::vector<std::string_view>& operands) {
  if (has(opcode, Trait::no_result | Trait::leaves)) return 0;
  std::size_t count = 0;
  const bool predicates_only = has(opcode, Trait::predicate_results);
  const std::size_t most_predicates = has(opcode, Trait::predicate_results | Trait::two_predicates) ? 2 : 1;
  while (count < operands.size() && count < most_predicates && is_predicate_operand(operands[count])) ++count;
  if (predicates_only) return count;
  if (has(opcode, Trait::packed_predicates)) return 1;
  if (count < operands.size() && is_general_register(operands[count])) ++count;
  // Carries and votes: IADD3 R0, P0, P1, …; VOTE.ANY R0, PT, P1.
  const std::size_t most_after = has(opcode, Trait::vote) ? 1 : 2;
  for (std::size_t after = 0; after < most_after && count < operands.size() && is_predicate_operand(operands[count]);
       ++after) {
    // The last operand of a select or of a min/max is its condition.
    if (count + 1 == operands.size()) break;
    ++count;
  }
  return count;
}

}  // namespace

RegisterUse register_use(std::string_view text) {
  RegisterUse use;
  if (!text.empty() && text.front() == '@') {
    const auto space = text.find(' ');
    if (const auto guard = register_in(text.substr(1, space - 1))) {
      use.reads.push_back(*guard);
      use.is_predicated = true;
    }
    text.remove_prefix(space + 1);
  }
  const auto opcode = opcode_of(text);
  const auto rest = opcode.size() < text.size() ? text.substr(opcode.size() + 1) : std::string_view{};
  const auto operands = operands_of(rest);
  if (opcode.empty()) return use;
  const std::size_t results = result_count(opcode, operands);
  if (reads_condition_code(opcode)) use.reads.push_back(condition_code);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == "PR") {
      auto& all = i < results ? use.writes : use.reads;
      for (int p = 0; p < all_predicates; ++p) all.push_back({RegisterFile::predicate, p});
      continue;
    }
    if (operands[i] == "CC") {
      (i < results ? use.writes : use.reads).push_back(condition_code);
      continue;
    }
    if (i < results) {
      if (operands[i].ends_with(".CC")) use.writes.push_back(condition_code);
      if (const auto reg = register_in(operands[i])) {
        use.writes.push_back(*reg);
        if (!is_predicate(reg->file) && has_wide_result(opcode)) use.writes.push_back(next_of(*reg));
      }
      continue;
    }
    const auto before = use.reads.size();
    add_registers_inside(operands[i], use.reads);
    const bool is_one_register = use.reads.size() == before + 1;
    if (is_one_register && may_have_wide_sources(opcode) && !is_predicate_operand(operands[i]))
      use.may_read.push_back(next_of(use.reads.back()));
  }
  return use;
}

std::string slot_of(std::string_view text, const Register& reg) {
  if (!text.empty() && text.front() == '@') {
    const auto space = text.find(' ');
    if (register_in(text.substr(1, space - 1)) == reg) return "guard";
    text.remove_prefix(space + 1);
  }
  const auto opcode = opcode_of(text);
  if (opcode.size() >= text.size()) return {};
  const auto operands = operands_of(text.substr(opcode.size() + 1));
  const bool is_product = opcode.starts_with("IMAD.WIDE");  // of single registers; only what it adds is a pair
  char letter = 'a';
  for (std::size_t i = result_count(opcode, operands); i < operands.size(); ++i) {
    std::vector<Register> reads;
    add_registers_inside(operands[i], reads);
    const auto first = register_in(operands[i]);
    const bool is_condition = operands[i].ends_with("PT") || (first && is_predicate(first->file));
    const bool is_pair = has(opcode, Trait::wide_sources) || (is_product && letter == 'c');
    if (first && !is_condition && is_pair) reads.push_back(next_of(*first));
    if (std::find(reads.begin(), reads.end(), reg) == reads.end()) {
      letter = static_cast<char>(letter + (is_condition ? 0 : 1));
      continue;
    }
    if (!is_condition) return std::string(1, letter);
    return opcode.find(".X") != std::string_view::npos ? "carry" : "predicate";
  }
  return {};
}

bool is_in_address(std::string_view text, const Register& reg) {
  const auto opcode = opcode_of(text);
  const auto rest = text.substr(text.find(opcode) + opcode.size());
  for (const auto operand : operands_of(rest)) {
    std::vector<Register> inside;
    if (operand.find('[') != std::string_view::npos) add_registers_inside(operand, inside);
    if (std::find(inside.begin(), inside.end(), reg) != inside.end()) return true;
  }
  return false;
}

namespace {

bool can_branch(const std::vector<Instruction>& code) {
  return std::any_of(code.begin(), code.end(), [](const Instruction& i) { return changes_control_flow(i.text); });
}

bool writes_any(const RegisterUse& use, const std::set<Register>& live) {
  return std::any_of(use.writes.begin(), use.writes.end(), [&](const auto& r) { return live.contains(r); });
}

// Where what the instruction writes is stored.
StorePlaces places_of_any(const RegisterUse& use, const std::map<Register, StorePlaces>& live) {
  StorePlaces places;
  for (const auto& r : use.writes) {
    const auto found = live.find(r);
    if (found != live.end()) places.insert(found->second.begin(), found->second.end());
  }
  return places;
}

// The registers that a store takes its value from: its last operand, and the following ones of a wide operand.
std::vector<Register> stored_value(std::string_view text) {
  const auto opcode = opcode_of(text);
  const auto operands = operands_of(text.substr(text.find(opcode) + opcode.size()));
  const auto first = operands.empty() ? std::nullopt : register_in(operands.back());
  std::vector<Register> value;
  for (int i = 0; first && 4 * i < std::max(4, access_bytes(opcode)); ++i)
    value.push_back({first->file, first->number + i});
  return value;
}

// "0x10" from "STG.E.64 desc[UR4][R2.64+0x10], R8": where a store puts its value, apart from registers; empty if there
// is no more to the address.
std::string_view offset_of_store(std::string_view text) {
  const auto end = std::min(text.rfind(']'), text.size());
  const auto begin = text.substr(0, end).rfind('+');
  const auto offset = begin == std::string_view::npos ? std::string_view{} : text.substr(begin + 1, end - begin - 1);
  return offset.starts_with("0x") ? offset : std::string_view{};
}

// The registers that the window must leave so that the epilogue can store its values, and where it stores what is made
// from each. The code is read in order, as if no branch were taken.
std::map<Register, StorePlaces> stored_behind(const Window& window) {
  std::map<Register, StorePlaces> live;
  for (auto instruction = window.epilogue.rbegin(); instruction != window.epilogue.rend(); ++instruction) {
    if (has(opcode_of(instruction->text), Trait::stores)) {
      for (const auto& r : stored_value(instruction->text)) live[r].insert(offset_of_store(instruction->text));
      continue;
    }
    const auto use = register_use(instruction->text);
    const auto places = places_of_any(use, live);
    if (places.empty()) continue;
    if (!use.is_predicated) {
      for (const auto& r : use.writes) live.erase(r);
    }
    for (const auto* read : {&use.reads, &use.may_read}) {
      for (const auto& r : *read) live[r].insert(places.begin(), places.end());
    }
  }
  return live;
}

}  // namespace

std::vector<StorePlaces> store_places(const Window& window) {
  const auto& code = window.instructions;
  std::vector<StorePlaces> places(code.size());
  const bool branches = can_branch(code);
  auto live = stored_behind(window);
  for (std::size_t i = code.size(); i-- > 0;) {
    const auto use = register_use(code[i].text);
    if (i > 0 && i + 1 < code.size()) places[i] = places_of_any(use, live);
    if (use.is_predicated || branches) continue;
    for (const auto& r : use.writes) live.erase(r);
  }
  return places;
}

std::vector<bool> live_results(const Window& window) {
  std::vector<bool> results;
  for (const auto& places : store_places(window)) results.push_back(!places.empty());
  return results;
}

std::vector<bool> backward_slice(const Window& window, const std::vector<bool>& roots) {
  const auto& code = window.instructions;
  std::vector<bool> in_slice(code.size(), false);
  if (code.size() < 3) return in_slice;
  // If control can go two ways, a later write in program order does not make an earlier one dead.
  const bool branches = can_branch(code);
  std::set<Register> live;
  // A subroutine may read any register.
  bool before_call = false;
  for (std::size_t i = code.size() - 2; i >= 1; --i) {
    const auto use = register_use(code[i].text);
    const bool is_root = i == code.size() - 2 || roots[i] || before_call;
    const bool steers = changes_control_flow(code[i].text);
    before_call = before_call || has(opcode_of(code[i].text), Trait::calls);
    if (!is_root && !steers && !writes_any(use, live)) continue;
    in_slice[i] = true;
    if (!use.is_predicated && !branches) {
      for (const auto& r : use.writes) live.erase(r);
    }
    live.insert(use.reads.begin(), use.reads.end());
    live.insert(use.may_read.begin(), use.may_read.end());
  }
  return in_slice;
}

std::vector<bool> clock_copies(const Window& window) {
  const auto& code = window.instructions;
  std::vector<bool> copies(code.size(), false);
  if (code.empty()) return copies;
  std::set<Register> clock;
  for (const auto& r : register_use(code.front().text).writes) clock.insert(r);
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    const auto use = register_use(code[i].text);
    const bool copies_clock =
        has(opcode_of(code[i].text), Trait::moves) && use.reads.size() == 1 && clock.contains(use.reads[0]);
    copies[i] = copies_clock;
    for (const auto& r : use.writes) {
      if (copies_clock) {
        clock.insert(r);
      } else {
        clock.erase(r);
      }
    }
  }
  return copies;
}

}  // namespace ptxlat::sass
