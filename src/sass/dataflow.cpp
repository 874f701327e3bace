#include "sass/dataflow.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>

namespace ptxlat {

namespace {

constexpr int predicate_base = 256, uniform_base = 512, uniform_predicate_base = 768, condition_code = 1024;
constexpr int all_predicates = 7;  // P0…P6

// "R12.64", "|R3|.reuse", "-UR4", "!P0", "R12.H0_H0" → its number; RZ, PT, literals and addresses → none.
std::optional<int> register_number(std::string_view operand) {
  while (!operand.empty() && (operand.front() == '-' || operand.front() == '|' || operand.front() == '!' ||
                              operand.front() == '~' || operand.front() == '+')) {
    operand.remove_prefix(1);
  }
  int base = 0;
  std::size_t prefix = 1;
  if (operand.starts_with("UR")) {
    base = uniform_base, prefix = 2;
  } else if (operand.starts_with("UP")) {
    base = uniform_predicate_base, prefix = 2;
  } else if (operand.starts_with("R")) {
    base = 0;
  } else if (operand.starts_with("P")) {
    base = predicate_base;
  } else {
    return std::nullopt;
  }
  int number = 0;
  std::size_t digits = 0;
  for (std::size_t i = prefix; i < operand.size() && std::isdigit(static_cast<unsigned char>(operand[i]));
       ++i, ++digits) {
    number = number * 10 + (operand[i] - '0');
  }
  if (digits == 0) return std::nullopt;
  return base + number;
}

bool is_predicate_operand(std::string_view operand) {
  if (operand == "PT" || operand == "UPT") return true;
  const auto number = register_number(operand);
  if (!number || operand.front() == '!') return false;
  return (*number >= predicate_base && *number < uniform_base) || *number >= uniform_predicate_base;
}

bool is_general_register(std::string_view operand) {
  const auto name = operand.substr(0, operand.find('.'));
  if (name == "RZ" || name == "URZ") return true;
  const auto number = register_number(operand);
  return number && !is_predicate_operand(operand) && operand.front() != '!';
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

bool writes_nothing(std::string_view opcode) {
  static const std::set<std::string_view> stacks = {"SSY", "PBK", "PCNT", "PRET"};
  return stacks.contains(base_name(opcode)) ||
         starts_with_any(opcode, {"ST", "RED.", "BAR", "BSSY", "BSYNC", "NOP", "WARPSYNC", "DEPBAR", "MEMBAR", "ERRBAR",
                                  "YIELD", "ENDCOLLECTIVE", "CCTL", "BPT", "NANOSLEEP", "LDGDEPBAR", "FENCE"}) ||
         changes_control_flow(opcode);
}

// IADD.X, LEA.HI.X, IMNMX.U32.XLO. Where carries are predicates (Volta) nothing writes the condition code.
bool reads_condition_code(std::string_view opcode) {
  for (const std::string_view modifier : {".X", ".XLO", ".XMED", ".XHI"}) {
    const auto at = opcode.find(modifier);
    const auto end = at == std::string_view::npos ? at : at + modifier.size();
    if (end != std::string_view::npos && (end == opcode.size() || opcode[end] == '.')) return true;
  }
  return false;
}

// Only predicates: comparisons and checks have no other destination.
bool writes_predicates_only(std::string_view opcode) {
  return opcode.find("SETP") != std::string_view::npos || starts_with_any(opcode, {"PLOP3", "UPLOP3", "FCHK"});
}

bool has_wide_result(std::string_view opcode) {
  if (opcode.starts_with("CS2R")) return opcode.find(".32") == std::string_view::npos;
  return opcode.find("WIDE") != std::string_view::npos ||
         (opcode.front() == 'D' && starts_with_any(opcode, {"DADD", "DMUL", "DFMA", "DMNMX"})) ||
         opcode.starts_with("F2F.F64") || opcode.starts_with("I2F.F64") || opcode.starts_with("I2F.RZ.F64") ||
         opcode.starts_with("FRND.F64") ||
         (opcode.starts_with("I2F") && opcode.find(".F64") != std::string_view::npos) ||
         (opcode.starts_with("F2I") &&
          (opcode.find(".S64") != std::string_view::npos || opcode.find(".U64") != std::string_view::npos)) ||
         (opcode.starts_with("LD") && opcode.find(".64") != std::string_view::npos);
}

bool may_have_wide_sources(std::string_view opcode) {
  return opcode.front() == 'D' || opcode.find("64") != std::string_view::npos ||
         opcode.find("WIDE") != std::string_view::npos;
}

void add_registers_inside(std::string_view operand, std::vector<int>& reads) {
  for (std::size_t i = 0; i < operand.size(); ++i) {
    const bool starts_name = std::isalpha(static_cast<unsigned char>(operand[i])) != 0 &&
                             (i == 0 || std::isalnum(static_cast<unsigned char>(operand[i - 1])) == 0);
    if (!starts_name) continue;
    if (const auto number = register_number(operand.substr(i))) {
      reads.push_back(*number);
      if (operand.find(".64") != std::string_view::npos) reads.push_back(*number + 1);
    }
  }
}

// How many of the leading operands are results.
std::size_t result_count(std::string_view opcode, const std::vector<std::string_view>& operands) {
  if (writes_nothing(opcode)) return 0;
  std::size_t count = 0;
  const std::size_t most_predicates = writes_predicates_only(opcode) ? 2 : 1;
  while (count < operands.size() && count < most_predicates && is_predicate_operand(operands[count])) ++count;
  if (writes_predicates_only(opcode)) return count;
  if (opcode.starts_with("R2P")) return 1;
  if (count < operands.size() && is_general_register(operands[count])) ++count;
  // Carries and votes: IADD3 R0, P0, P1, …; VOTE.ANY R0, PT, P1.
  const std::size_t most_after = opcode.starts_with("VOTE") ? 1 : 2;
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
    if (const auto guard = register_number(text.substr(1, space - 1))) {
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
      auto& all = i < results || opcode.starts_with("R2P") ? use.writes : use.reads;
      for (int p = 0; p < all_predicates; ++p) all.push_back(predicate_base + p);
      continue;
    }
    if (operands[i] == "CC") {
      (i < results ? use.writes : use.reads).push_back(condition_code);
      continue;
    }
    if (i < results) {
      if (operands[i].ends_with(".CC")) use.writes.push_back(condition_code);
      if (const auto number = register_number(operands[i])) {
        use.writes.push_back(*number);
        if (!is_predicate_operand(operands[i]) && has_wide_result(opcode)) use.writes.push_back(*number + 1);
      }
      continue;
    }
    const auto before = use.reads.size();
    add_registers_inside(operands[i], use.reads);
    const bool is_one_register = use.reads.size() == before + 1;
    if (is_one_register && may_have_wide_sources(opcode) && !is_predicate_operand(operands[i]))
      use.may_read.push_back(use.reads.back() + 1);
  }
  return use;
}

std::vector<bool> backward_slice(const Window& window) {
  const auto& code = window.instructions;
  std::vector<bool> in_slice(code.size(), false);
  if (code.size() < 3) return in_slice;
  // Where control can go two ways, a later write in program order does not make an earlier one dead.
  const bool branches =
      std::any_of(code.begin(), code.end(), [](const Instruction& i) { return changes_control_flow(i.text); });
  std::set<int> live;
  // A subroutine may read any register.
  bool before_call = false;
  for (std::size_t i = code.size() - 2; i >= 1; --i) {
    const auto use = register_use(code[i].text);
    const bool is_root = i == code.size() - 2 || before_call;
    const bool steers = changes_control_flow(code[i].text);
    before_call = before_call || opcode_of(code[i].text).starts_with("CAL");
    const bool feeds = std::any_of(use.writes.begin(), use.writes.end(), [&](int r) { return live.contains(r); });
    if (!is_root && !steers && !feeds) continue;
    in_slice[i] = true;
    if (!use.is_predicated && !branches) {
      for (const int r : use.writes) live.erase(r);
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
  std::set<int> clock;
  for (const int r : register_use(code.front().text).writes) clock.insert(r);
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    const auto use = register_use(code[i].text);
    const bool copies_clock =
        opcode_of(code[i].text).starts_with("MOV") && use.reads.size() == 1 && clock.contains(use.reads[0]);
    copies[i] = copies_clock;
    for (const int r : use.writes) {
      if (copies_clock) {
        clock.insert(r);
      } else {
        clock.erase(r);
      }
    }
  }
  return copies;
}

}  // namespace ptxlat
