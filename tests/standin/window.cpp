// SPDX-License-Identifier: Apache-2.0
#include "window.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <set>
#include <vector>

namespace standin {
namespace {

unsigned bits(std::uint64_t word, int first, int count) {
  return static_cast<unsigned>(word >> first & ((1u << count) - 1));
}

unsigned opcode(const Instruction& instruction) { return bits(instruction.low, 0, 12); }

// CS2R, S2R, S2UR and CS2UR read many registers; SR_CLOCKLO is number 0x50.
bool reads_clock(const Instruction& instruction) {
  const unsigned op = opcode(instruction);
  return (op == 0x805 || op == 0x919 || op == 0x9c3 || op == 0x8cb) && bits(instruction.high, 8, 8) == 0x50;
}

// Plausible, fixed and all different; not measured.
std::uint64_t scoreboard_latency(unsigned op) {
  switch (op) {
    case 0x308:
      return 18;  // MUFU
    case 0x309:
      return 14;  // POPC
    case 0x981:
      return 260;  // LDG
    case 0x984:
      return 23;  // LDS
    case 0xb82:
      return 28;  // LDC
    case 0x919:
      return 20;  // S2R
    case 0x389:
      return 24;  // SHFL
    default:
      return 16;
  }
}

template <typename T>
T read_at(const unsigned char* file, std::size_t offset) {
  T value;
  std::memcpy(&value, file + offset, sizeof value);
  return value;
}

}  // namespace

std::map<std::string, Code> read_cubin(const unsigned char* cubin) {
  std::map<std::string, Code> kernels;
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return kernels;
  const auto section = [&](unsigned index) {
    return read_at<Elf64_Shdr>(cubin, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names = section(header.e_shstrndx);
  for (unsigned i = 1; i < header.e_shnum; ++i) {
    const Elf64_Shdr text = section(i);
    const std::string name = reinterpret_cast<const char*>(cubin) + names.sh_offset + text.sh_name;
    if (name.rfind(".text.", 0) != 0) continue;
    Code& code = kernels[name.substr(6)];
    for (std::size_t at = 0; at + 16 <= text.sh_size; at += 16)
      code.push_back(read_at<Instruction>(cubin, text.sh_offset + at));
  }
  return kernels;
}

int sm_of(const unsigned char* cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  // CUDA 13 has moved it to the second byte.
  const unsigned shift = header.e_ident[EI_ABIVERSION] >= 8 ? 8 : 0;
  return static_cast<int>(header.e_flags >> shift & 0xff);
}

std::pair<std::ptrdiff_t, std::ptrdiff_t> window_of(const Code& code) {
  const auto first = std::find_if(code.begin(), code.end(), reads_clock);
  const auto second = first == code.end() ? first : std::find_if(first + 1, code.end(), reads_clock);
  if (second == code.end()) return {0, std::ssize(code)};
  return {first + 1 - code.begin(), second - code.begin()};
}

std::optional<std::pair<std::ptrdiff_t, std::ptrdiff_t>> loop_of(const Code& code) {
  constexpr unsigned bra = 0x947;
  const auto [begin, end] = window_of(code);
  for (auto at = end - 1; at >= begin; --at) {
    const Instruction& instruction = code[static_cast<std::size_t>(at)];
    if (opcode(instruction) != bra) continue;
    // From the next instruction, in units of four bytes: bits 16 to 23, and 34 to 81, which have the sign.
    const auto distance = static_cast<std::int64_t>((instruction.high & 0x3ffff) << 46 | instruction.low >> 34 << 16 |
                                                    std::uint64_t{bits(instruction.low, 16, 8)} << 8) >>
                          8;
    const auto target = at + 1 + distance / 4;
    if (target >= begin && target <= at) return std::pair(target, at + 1);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> cycles_between_clocks(const Code& code, std::uint64_t rounds) {
  std::array<std::uint64_t, 6> clear_at{};
  std::optional<std::uint64_t> first_clock;
  std::uint64_t now = 0, body_began = 0, rounds_left = rounds;
  const auto loop = loop_of(code);
  for (std::ptrdiff_t at = 0; at < std::ssize(code); ++at) {
    const Instruction& instruction = code[static_cast<std::size_t>(at)];
    if (loop && at == loop->first) body_began = now;
    const unsigned stall_count = bits(instruction.high, 41, 4);
    const unsigned write_scoreboard = bits(instruction.high, 46, 3);
    const unsigned read_scoreboard = bits(instruction.high, 49, 3);
    const unsigned wait_mask = bits(instruction.high, 52, 6);
    for (unsigned i = 0; i < clear_at.size(); ++i)
      if (wait_mask >> i & 1) now = std::max(now, clear_at[i]);
    if (reads_clock(instruction)) {
      if (first_clock) return static_cast<std::uint32_t>(now - *first_clock);
      first_clock = now;
    }
    const std::uint64_t latency = scoreboard_latency(opcode(instruction));
    for (const unsigned scoreboard : {write_scoreboard, read_scoreboard})
      if (scoreboard < clear_at.size())  // 7 is none
        clear_at[scoreboard] = std::max(clear_at[scoreboard], now + latency);
    now += stall_count;
    if (!loop || at + 1 != loop->second || rounds_left <= 1) continue;
    // All rounds but the first and the last take as long as the first.
    if (rounds_left == rounds && rounds > 2) {
      const std::uint64_t skipped = (rounds - 2) * (now - body_began);
      now += skipped;
      for (std::uint64_t& time : clear_at) time += skipped;
    }
    rounds_left = 1;
    at = loop->first - 1;
  }
  return std::nullopt;
}

namespace {

// A result that is not in its register yet, or is: from a cycle on.
struct Written {
  std::uint64_t at = 0;
  std::uint32_t value = 0;
};

// The latest of the results that are there; 0 if none is.
std::uint32_t value_at(const std::vector<Written>& results, std::uint64_t now) {
  Written latest;
  for (const Written& result : results)
    if (result.at <= now && result.at >= latest.at) latest = result;
  return latest.value;
}

std::uint32_t mix(std::uint32_t hash, std::uint64_t word) {
  return (hash ^ static_cast<std::uint32_t>(word)) * 0x01000193u + static_cast<std::uint32_t>(word >> 32);
}

}  // namespace

std::uint32_t value_of_window(const Code& code) {
  constexpr unsigned nop = 0x918, ffma = 0x223, wide = 0x225, zero_register = 255;
  std::map<unsigned, std::vector<Written>> registers;
  std::array<std::uint64_t, 6> clear_at{};
  std::uint64_t now = 0;
  const auto [begin, end] = window_of(code);
  for (auto at = begin; at < end; ++at) {
    const Instruction& instruction = code[static_cast<std::size_t>(at)];
    const unsigned op = opcode(instruction), write_scoreboard = bits(instruction.high, 46, 3);
    for (unsigned i = 0; i < clear_at.size(); ++i)
      if (bits(instruction.high, 52, 6) >> i & 1) now = std::max(now, clear_at[i]);
    if (op != nop) {
      std::uint32_t value = mix(op, 0);
      // An immediate has nobody's number, and is the same whenever it is read.
      for (const unsigned source :
           {bits(instruction.low, 24, 8), bits(instruction.low, 32, 8), bits(instruction.high, 0, 8)})
        if (source != zero_register) value = mix(value, value_at(registers[source], now));
      std::uint64_t there = now + (op == ffma ? latency_of_ffma : op == wide ? latency_of_wide : latency_of_others);
      if (write_scoreboard < clear_at.size())
        there = clear_at[write_scoreboard] = std::max(clear_at[write_scoreboard], now + scoreboard_latency(op));
      registers[bits(instruction.low, 16, 8)].push_back({there, value});
    }
    now += bits(instruction.high, 41, 4);
  }
  constexpr std::uint64_t end_of_time = ~std::uint64_t{0};
  std::uint32_t left = 0;
  std::set<unsigned> stored;
  for (auto at = end; at < std::ssize(code); ++at) {
    const Instruction& instruction = code[static_cast<std::size_t>(at)];
    const unsigned op = opcode(instruction);
    if (op == 0x386 || op == 0x986) stored.insert(bits(instruction.low, 32, 8));  // STG
  }
  std::erase_if(registers, [&](const auto& one) { return !stored.contains(one.first); });
  for (const auto& [number, results] : registers)
    left = mix(left, std::uint64_t{number} << 32 | value_at(results, end_of_time));
  return left;
}

}  // namespace standin
