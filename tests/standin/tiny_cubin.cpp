// SPDX-License-Identifier: Apache-2.0
#include "tiny_cubin.h"

#include <elf.h>

#include <cstring>

namespace standin {

Instruction op(unsigned opcode, unsigned stall, unsigned sets, unsigned waits) {
  constexpr std::uint64_t no_read_scoreboard = 7;
  return {opcode, std::uint64_t{stall} << 41 | std::uint64_t{sets} << 46 | no_read_scoreboard << 49 |
                      std::uint64_t{waits} << 52};
}

Instruction read_clock(unsigned stall) {
  Instruction clock = op(0x805, stall);
  clock.high |= 0x50 << 8;
  return clock;
}

ptxlat::Bytes tiny_cubin(const std::vector<std::pair<std::string, Code>>& kernels) {
  std::vector<Elf64_Shdr> sections(2);
  std::string names = std::string(1, '\0') + ".shstrtab" + std::string(1, '\0');
  ptxlat::Bytes file(sizeof(Elf64_Ehdr));
  const auto append = [&](const void* data, std::size_t size) {
    const std::size_t offset = file.size();
    file.resize(offset + size);
    if (size > 0) std::memcpy(file.data() + offset, data, size);  // the code of a kernel may be empty
    return offset;
  };
  for (const auto& [name, code] : kernels) {
    Elf64_Shdr text{};
    text.sh_name = static_cast<Elf64_Word>(names.size());
    text.sh_type = SHT_PROGBITS;
    text.sh_size = code.size() * sizeof(Instruction);
    text.sh_offset = append(code.data(), text.sh_size);
    sections.push_back(text);
    names += ".text." + name + '\0';
  }
  sections[1].sh_name = 1;
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_size = names.size();
  sections[1].sh_offset = append(names.data(), names.size());

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = EM_CUDA;
  header.e_flags = 90;  // sm_90
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = 1;
  header.e_shoff = append(sections.data(), sections.size() * sizeof(Elf64_Shdr));
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

}  // namespace standin
