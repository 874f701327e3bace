// SPDX-License-Identifier: Apache-2.0
#include "sass/cubin.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "isa/target.h"

namespace ptxlat::sass {

namespace {

constexpr Elf64_Half machine_cuda = 190;
constexpr std::string_view text_prefix = ".text.";

[[noreturn]] void reject(const std::string& what) { throw Error(ExitCode::failure, "not a readable cubin: " + what); }

// Copies a T out of `bytes`, so that neither alignment nor a short file matters.
template <typename T>
T read_at(const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) reject("it ends early");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// Names of kernels have 20 characters; with longer ones, a small file takes hours to read.
std::string_view string_at(const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
  constexpr std::size_t longest = 4096;
  if (offset >= bytes.size()) reject("it ends early");
  const auto* const begin = reinterpret_cast<const char*>(bytes.data()) + offset;
  const auto size = strnlen(begin, std::min<std::size_t>(bytes.size() - offset, longest));
  if (size == longest) reject("a section's name is too long");
  if (offset + size == bytes.size()) reject("it ends early");
  return {begin, size};
}

// The architecture in e_flags: in the low byte up to CUDA 12, in the second byte since the ELF ABI version 8 of
// CUDA 13.
int architecture(const Elf64_Ehdr& header) {
  const int low = static_cast<int>(header.e_flags & 0xff);
  const int second = static_cast<int>((header.e_flags >> 8) & 0xff);
  return header.e_ident[EI_ABIVERSION] >= 8 ? second : low;
}

std::vector<InstructionWord> read_volta(const std::vector<std::uint8_t>& bytes, std::uint64_t offset,
                                        std::uint64_t size) {
  std::vector<InstructionWord> words;
  for (std::uint64_t at = 0; at + sizeof(InstructionWord) <= size; at += sizeof(InstructionWord)) {
    words.push_back(read_at<InstructionWord>(bytes, offset + at));
  }
  return words;
}

// A control word has 21 bits for each of the three instructions that follow, the first in the lowest bits.
std::vector<InstructionWord> read_maxwell(const std::vector<std::uint8_t>& bytes, std::uint64_t offset,
                                          std::uint64_t size) {
  struct Group {
    std::uint64_t control;
    std::array<std::uint64_t, 3> instructions;
  };
  constexpr std::uint64_t control_bits = 21, control_mask = (1u << control_bits) - 1;
  constexpr int control_position = 41;
  std::vector<InstructionWord> words;
  for (std::uint64_t at = 0; at + sizeof(Group) <= size; at += sizeof(Group)) {
    auto group = read_at<Group>(bytes, offset + at);
    for (const auto instruction : group.instructions) {
      words.push_back({instruction, (group.control & control_mask) << control_position});
      group.control >>= control_bits;
    }
  }
  return words;
}

// Appends each kernel's own subroutine to it.
void append_subroutines(std::vector<KernelCode>& kernels) {
  std::unordered_map<std::string_view, KernelCode*> by_name;
  for (auto& kernel : kernels) by_name.try_emplace(kernel.name, &kernel);
  for (auto& code : kernels) {
    if (!code.name.ends_with(subroutine_suffix)) continue;
    const auto kernel =
        by_name.find(std::string_view(code.name).substr(0, code.name.size() - subroutine_suffix.size()));
    if (kernel == by_name.end()) continue;
    auto& words = kernel->second->words;
    words.insert(words.end(), code.words.begin(), code.words.end());
    code.words.clear();
  }
  std::erase_if(kernels, [](const KernelCode& code) { return code.words.empty(); });
}

}  // namespace

namespace {

// Calls `visit` with each section of machine code: its kernel's name and its header.
template <class Visit>
void for_each_kernel(const std::vector<std::uint8_t>& bytes, const Elf64_Ehdr& header, Visit visit) {
  const auto section = [&](int index) {
    return read_at<Elf64_Shdr>(bytes,
                               header.e_shoff + std::uint64_t{sizeof(Elf64_Shdr)} * static_cast<unsigned>(index));
  };
  const auto names = section(header.e_shstrndx);
  std::uint64_t code_left = bytes.size();
  for (int index = 0; index < header.e_shnum; ++index) {
    const auto entry = section(index);
    if (entry.sh_type != SHT_PROGBITS) continue;
    const auto name = string_at(bytes, names.sh_offset + entry.sh_name);
    if (!name.starts_with(text_prefix)) continue;
    // Sections that overlap could hold the file's code thousands of times.
    if (entry.sh_size > code_left) reject("its sections are larger than the file");
    code_left -= entry.sh_size;
    visit(std::string(name.substr(text_prefix.size())), entry);
  }
}

// A code section's sh_info has the index of its kernel's symbol in the low bits; older ABIs have more above.
constexpr std::uint32_t symbol_mask = 0xffffff;

// Registers of a thread, by the index of the kernel's symbol. They are attributes in the section .nv.info: a format, a
// kind and a size of 16 bits, then as many bytes; for registers, the symbol and the count.
std::unordered_map<std::uint32_t, std::uint32_t> register_counts(const std::vector<std::uint8_t>& bytes,
                                                                 const Elf64_Ehdr& header) {
  struct Attribute {
    std::uint8_t format, kind;
    std::uint16_t size;
  };
  struct Count {
    std::uint32_t symbol, registers;
  };
  constexpr Elf64_Word type_info = 0x70000000;
  constexpr std::uint8_t sized_value = 4, register_count = 0x2f;
  std::unordered_map<std::uint32_t, std::uint32_t> counts;
  for (unsigned index = 0; index < header.e_shnum; ++index) {
    const auto entry = read_at<Elf64_Shdr>(bytes, header.e_shoff + std::uint64_t{sizeof(Elf64_Shdr)} * index);
    if (entry.sh_type != type_info) continue;
    for (std::uint64_t at = 0; at + sizeof(Attribute) <= entry.sh_size;) {
      const auto attribute = read_at<Attribute>(bytes, entry.sh_offset + at);
      at += sizeof attribute;
      // Other formats have their value, of 16 bits, in the place of the size.
      if (attribute.format != sized_value) continue;
      if (attribute.kind == register_count && attribute.size == sizeof(Count)) {
        const auto count = read_at<Count>(bytes, entry.sh_offset + at);
        counts[count.symbol] = count.registers;
      }
      at += attribute.size;
    }
  }
  return counts;
}

}  // namespace

Cubin read_cubin(const std::vector<std::uint8_t>& bytes) {
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) reject("not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) reject("not a 64-bit ELF file");
  if (header.e_machine != machine_cuda) reject("not for a GPU");

  Cubin cubin;
  cubin.sm = architecture(header);
  if (cubin.sm < isa::oldest_sm)
    reject(fmt::format("unsupported architecture sm_{}; sm_{} is the oldest supported one", cubin.sm, isa::oldest_sm));

  const auto layout = layout_of(cubin.sm);
  const auto read = layout == CodeLayout::volta ? read_volta : read_maxwell;
  const auto registers = register_counts(bytes, header);
  for_each_kernel(bytes, header, [&](const std::string& name, const Elf64_Shdr& entry) {
    const auto count = registers.find(entry.sh_info & symbol_mask);
    cubin.kernels.push_back({name, read(bytes, entry.sh_offset, entry.sh_size), layout,
                             count == registers.end() ? 0 : static_cast<int>(count->second)});
  });
  append_subroutines(cubin.kernels);
  return cubin;
}

std::vector<std::uint8_t> write_words(std::vector<std::uint8_t> cubin, const std::string& kernel,
                                      const std::vector<PlacedWord>& words) {
  std::optional<Elf64_Shdr> code;
  for_each_kernel(cubin, read_at<Elf64_Ehdr>(cubin, 0), [&](const std::string& name, const Elf64_Shdr& entry) {
    if (name == kernel) code = entry;
  });
  if (!code) reject("it does not have the kernel " + kernel);
  for (const auto& [offset, word] : words) {
    const auto at = static_cast<std::uint64_t>(offset);
    if (offset < 0 || at + sizeof word > code->sh_size || code->sh_offset > cubin.size() ||
        code->sh_offset + at + sizeof word > cubin.size())
      reject(fmt::format("{} ends before byte {}", kernel, offset));
    std::memcpy(cubin.data() + code->sh_offset + at, &word, sizeof word);
  }
  return cubin;
}

}  // namespace ptxlat::sass
