// SPDX-License-Identifier: Apache-2.0
#include "sass/opcodes.h"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>

namespace ptxlat::sass {

namespace {

using enum Trait;

// An opcode, or an opcode with its first modifiers if these change its meaning: only the longest name that an
// instruction's opcode begins with, modifier by modifier, counts.
//   wide       the modifier with which its result is a pair of registers; "*": with any
//   canonical  the name of the same operation on another pipe; for the opcode without further modifiers
struct Row {
  std::string_view name;
  Trait traits = none;
  std::string_view wide = {};
  std::string_view canonical = {};
};

constexpr Row table[] = {
    // Control flow. SSY, PBK, PCNT, PRET and the opcodes that jump to their targets (SYNC, BRK, CONT) are Maxwell's, as
    // are CAL and KIL.
    {"BRA", leaves | branches | bookkeeping | code_address},
    {"BRX", leaves | bookkeeping | code_address},
    {"BRXU", leaves | code_address},
    {"JMP", leaves | code_address},
    {"JMX", leaves},
    {"JMXU", leaves},
    {"CALL", leaves | calls | bookkeeping},
    {"CALL.REL", leaves | calls | bookkeeping | code_address},
    {"CAL", leaves | calls | bookkeeping | code_address},
    {"JCAL", leaves},
    {"LEPC", code_address},
    {"RET", leaves | bookkeeping},
    {"RET.REL", leaves | bookkeeping | code_address},
    {"EXIT", leaves},
    {"KILL", leaves},
    {"KIL", leaves},
    {"BREAK", leaves | bookkeeping},
    {"BRK", leaves | bookkeeping},
    {"CONT", leaves | bookkeeping},
    {"SYNC", leaves | bookkeeping},
    {"LONGJMP", leaves},
    {"BSSY", bookkeeping | no_result | code_address},
    {"BSYNC", bookkeeping | no_result | waits},
    {"SSY", bookkeeping | no_result | code_address},
    {"PBK", bookkeeping | no_result | code_address},
    {"PCNT", bookkeeping | no_result | code_address},
    {"PRET", bookkeeping | no_result | code_address},
    {"WARPSYNC", bookkeeping | no_result | code_address},
    {"WARPSYNC.COLLECTIVE", bookkeeping | no_result | code_address | waits},
    {"YIELD", bookkeeping | no_result},
    {"BMOV", bookkeeping},
    {"ENDCOLLECTIVE", bookkeeping | no_result},
    {"NOP", bookkeeping | fills | no_result},

    // Memory.
    {"LDG", loads | loads_operand | skeleton | provides_operand, "64"},
    {"LD", loads | loads_operand | skeleton | provides_operand, "64"},
    {"LDS", loads, "64"},
    {"LDL", loads, "64"},
    {"LDSM", none, "64"},
    {"LDC", loads | constant | provides_operand, "64"},
    {"LDCU", loads | constant | provides_operand, "64"},
    {"ULDC", loads | constant | provides_operand},
    {"STG", stores | skeleton | no_result},
    {"ST", stores | skeleton | no_result},
    {"STS", stores | no_result},
    {"STL", stores | no_result},
    {"STSM", no_result},
    {"STAS", stores | no_result},
    {"RED", no_result},
    {"LDGSTS", skeleton},
    {"LDGDEPBAR", skeleton | no_result},
    {"CCTL", no_result},
    {"CCTLL", no_result},
    {"CCTLT", no_result},

    // Waiting for memory and for other lanes or warps. WARPGROUP.ARRIVE and WARPGROUP.DEPBAR wait around wgmma;
    // LDGDEPBAR, which closes a group of copies for DEPBAR to wait for, only takes its stall count.
    {"BAR", skeleton | no_result | waits},
    {"BAR.ARV", skeleton | no_result},
    {"DEPBAR", moves_bits | no_result | waits},
    {"WARPGROUP", no_result | waits},
    {"UCGABAR_WAIT", no_result | waits},
    {"ACQBULK", no_result | waits},
    {"MEMBAR", no_result | waits | fences},
    {"ERRBAR", no_result | waits | fences},
    {"CGAERRBAR", no_result | waits | fences},
    {"FENCE", no_result | waits},
    {"BPT", no_result},
    {"NANOSLEEP", no_result | waits},

    // Special registers. R2UR moves to the uniform datapath, R2P and P2R between predicates and a register: on Maxwell
    // P2R keeps a condition code that is an operand.
    {"S2R", skeleton | moves_bits},
    {"S2UR", skeleton | moves_bits},
    {"CS2R", provides_operand, "*"},
    {"CS2R.32", provides_operand},
    {"CS2UR", skeleton},
    {"R2UR", provides_operand | moves_bits},
    {"P2R", provides_operand},
    {"R2P", makes_predicate | packed_predicates},

    // Moves. A 16-bit operand may be one half of a loaded register, which PRMT extracts.
    {"MOV", moves | provides_operand | moves_bits},
    {"MOV32I", moves | provides_operand | moves_bits},
    {"UMOV", provides_operand | moves_bits},
    {"IMAD.MOV", provides_operand | makes_constant, {}, "MOV"},
    {"IMAD.MOV.U32", provides_operand | makes_constant, {}, "MOV"},
    {"PRMT", provides_operand | moves_bits},
    {"UPRMT", moves_bits},
    {"SHF", moves_bits},
    {"USHF", moves_bits},
    {"LEA", moves_bits},
    {"ULEA", moves_bits},
    {"ULOP3", moves_bits},
    {"F2FP", moves_bits},

    // Arithmetic.
    {"IADD", makes_predicate, {}, "IADD3"},
    {"IADD3", makes_predicate},
    {"IADD32I", makes_predicate},
    {"VIADD", none, {}, "IADD3"},
    {"IMAD", makes_constant},
    {"IMAD32I", makes_constant},
    {"IMAD.IADD", makes_constant, {}, "IADD3"},
    {"IMAD.X", makes_constant, {}, "IADD3.X"},
    {"IMAD.SHL", makes_constant, {}, "SHF.L.U32"},
    {"IMAD.SHL.U32", makes_constant, {}, "SHF.L.U32"},
    {"IMAD.U32", makes_constant | moves_bits},
    {"IMNMX", none, {}, "VIMNMX"},
    {"IMNMX.S64", two_predicates, "*"},
    {"IMNMX.U64", two_predicates, "*"},
    {"LOP3", makes_predicate | moves_bits},
    {"LOP32I", makes_predicate | moves_bits},
    {"FADD", makes_constant},
    {"FADD2", makes_constant},
    {"FADD32I", makes_constant},
    {"FFMA", makes_constant},
    {"FFMA2", makes_constant},
    {"FFMA32I", makes_constant},
    {"HFMA2", makes_constant},
    {"HFMA2_32I", makes_constant},
    {"DADD", wide_sources, "*"},
    {"DMUL", wide_sources, "*"},
    {"DFMA", wide_sources, "*"},
    {"DMNMX", wide_sources, "*"},
    {"DMMA", wide_sources},
    {"DSET", wide_sources},

    // Conversions. The result's type comes first if both are named.
    {"F2F", moves_bits},
    {"F2F.F64", moves_bits, "*"},
    {"FRND.F64", none, "*"},
    {"I2F", none, "F64"},
    {"F2I", none, "S64 U64"},

    // Comparisons.
    {"ISETP", makes_predicate | predicate_results},
    {"FSETP", predicate_results},
    {"DSETP", predicate_results | wide_sources},
    {"HSETP2", predicate_results},
    {"PSETP", predicate_results},
    {"CSETP", predicate_results},
    {"VSETP", predicate_results},
    {"UISETP", predicate_results},
    {"UFSETP", predicate_results},
    {"PLOP3", makes_predicate | predicate_results},
    {"UPLOP3", predicate_results},
    {"FCHK", predicate_results},
    {"VOTE", vote},
    {"VOTEU", vote},
};

const Row unknown{};

const Row& row_of(std::string_view opcode) {
  static const auto rows = [] {
    std::unordered_map<std::string_view, const Row*> by_name;
    for (const auto& row : table) by_name.emplace(row.name, &row);
    return by_name;
  }();
  for (auto name = opcode; !name.empty();) {
    if (const auto found = rows.find(name); found != rows.end()) return *found->second;
    const auto dot = name.rfind('.');
    name = dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
  }
  return unknown;
}

bool has_modifier(std::string_view opcode, std::string_view modifier) {
  for (auto dot = opcode.find('.'); dot != std::string_view::npos; dot = opcode.find('.', dot + 1)) {
    const auto rest = opcode.substr(dot + 1);
    if (rest.substr(0, rest.find('.')) == modifier) return true;
  }
  return false;
}

bool has_any_modifier(std::string_view opcode, std::initializer_list<std::string_view> modifiers) {
  return std::any_of(modifiers.begin(), modifiers.end(), [&](auto name) { return has_modifier(opcode, name); });
}

}  // namespace

bool has(std::string_view opcode, Trait traits) {
  return (static_cast<std::uint32_t>(row_of(opcode).traits) & static_cast<std::uint32_t>(traits)) != 0;
}

bool has_wide_result(std::string_view opcode) {
  const auto wide = row_of(opcode).wide;
  if (wide == "*" || has_modifier(opcode, "WIDE")) return true;
  for (std::size_t start = 0; start < wide.size();) {
    const auto end = std::min(wide.find(' ', start), wide.size());
    if (has_modifier(opcode, wide.substr(start, end - start))) return true;
    start = end + 1;
  }
  return false;
}

bool may_have_wide_sources(std::string_view opcode) {
  // Before Hopper the sum that IMAD.HI adds to the product is a pair.
  const bool adds_pair = opcode.starts_with("IMAD.HI");
  return adds_pair || has(opcode, wide_sources) || has_modifier(opcode, "WIDE") ||
         opcode.find("64") != std::string_view::npos;
}

bool names_first_registers(std::string_view opcode) {
  constexpr std::string_view names[] = {"TEX", "TLD", "TLD4", "TXD", "TMML", "SULD", "SUATOM", "LDSM"};
  const auto name = family_of(opcode);
  return name.ends_with("MMA") || std::find(std::begin(names), std::end(names), name) != std::end(names);
}

int named_bytes(std::string_view opcode) {
  constexpr std::pair<std::string_view, int> widths[] = {{"256", 32}, {"128", 16}, {"64", 8}, {"U16", 2},
                                                         {"S16", 2},  {"U8", 1},   {"S8", 1}};
  for (const auto& [modifier, bytes] : widths) {
    if (has_modifier(opcode, modifier)) return bytes;
  }
  return 4;
}

namespace {

bool is_of(std::string_view opcode, std::initializer_list<std::string_view> families) {
  return std::find(families.begin(), families.end(), family_of(opcode)) != families.end();
}

}  // namespace

bool is_atomic(std::string_view opcode) { return is_of(opcode, {"ATOM", "ATOMG", "ATOMS", "SUATOM"}); }
bool is_reduction(std::string_view opcode) { return is_of(opcode, {"RED", "REDG", "SURED"}); }

bool changes_memory(std::string_view opcode) {
  return has(opcode, stores) || is_atomic(opcode) || is_reduction(opcode);
}

int access_bytes(std::string_view opcode) { return has(opcode, loads | stores) ? named_bytes(opcode) : 0; }

bool go_one_way(std::string_view one, std::string_view other) {
  const auto both = [&](std::initializer_list<std::string_view> families) {
    return is_of(one, families) && is_of(other, families);
  };
  return both(
             {"LD", "LDG", "LDS", "LDL", "LDSM", "ST", "STG", "STS", "STL", "STSM", "ATOM", "ATOMG", "ATOMS", "RED"}) ||
         both({"LDGSTS", "LDGDEPBAR"}) || both({"SULD", "SUST", "SUATOM", "SURED"});
}

bool computes_uniformly(std::string_view opcode) {
  return opcode.starts_with('U') && !has(opcode, provides_operand | constant);
}

bool fills_uniform_register(std::string_view opcode) {
  const auto name = family_of(opcode);
  const bool packs = name == "UPRMT" || name == "ULEA" || name == "USHF" || name == "ULOP3";
  return (name.starts_with('U') && !packs) || name == "R2UR" || name == "S2UR" || name == "CS2UR" || name == "LDCU";
}

bool reads_condition_code(std::string_view opcode) { return has_any_modifier(opcode, {"X", "XLO", "XMED", "XHI"}); }

std::string canonical_opcode(std::string_view opcode) {
  const auto& row = row_of(opcode);
  return std::string(row.name == opcode && !row.canonical.empty() ? row.canonical : opcode);
}

bool names_pipe(std::string_view opcode) { return has_modifier(opcode, "MMA"); }

std::string operation_of(std::string_view opcode) {
  constexpr std::string_view other_pipe = ".MMA";
  auto operation = canonical_opcode(opcode);
  if (const auto at = operation.find(other_pipe); at != std::string::npos) operation.erase(at, other_pipe.size());
  return operation;
}

}  // namespace ptxlat::sass
