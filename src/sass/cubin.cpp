#include "sass/cubin.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "error.h"

namespace ptxlat {

namespace {

constexpr Elf64_Half machine_cuda = 190;
constexpr std::string_view text_prefix = ".text.";

[[noreturn]] void refuse(const std::string& what) { throw Error(ExitCode::failure, "not a readable cubin: " + what); }

// Copies a T out of `bytes`, so that neither alignment nor a short file can hurt.
template <typename T>
T read_at(const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) refuse("it ends early");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string string_at(const std::vector<std::uint8_t>& bytes, std::uint64_t offset) {
  std::string text;
  while (read_at<char>(bytes, offset) != '\0') text += read_at<char>(bytes, offset++);
  return text;
}

// The architecture in e_flags: in the low byte up to CUDA 12, in the second byte since the ELF ABI version 8 of
// CUDA 13.
int architecture(const Elf64_Ehdr& header) {
  const int low = static_cast<int>(header.e_flags & 0xff);
  const int second = static_cast<int>((header.e_flags >> 8) & 0xff);
  return header.e_ident[EI_ABIVERSION] >= 8 ? second : low;
}

}  // namespace

Cubin read_cubin(const std::vector<std::uint8_t>& bytes) {
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) refuse("no ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64) refuse("not a 64-bit ELF file");
  if (header.e_machine != machine_cuda) refuse("not for a GPU");

  Cubin cubin;
  cubin.sm = architecture(header);
  if (cubin.sm < 70)
    refuse(fmt::format("sm_{} packs its control words otherwise; sm_70 is the oldest that is read", cubin.sm));

  const auto section = [&](int index) {
    return read_at<Elf64_Shdr>(bytes,
                               header.e_shoff + std::uint64_t{sizeof(Elf64_Shdr)} * static_cast<unsigned>(index));
  };
  const auto names = section(header.e_shstrndx);
  for (int index = 0; index < header.e_shnum; ++index) {
    const auto entry = section(index);
    if (entry.sh_type != SHT_PROGBITS) continue;
    const std::string name = string_at(bytes, names.sh_offset + entry.sh_name);
    if (!name.starts_with(text_prefix)) continue;
    KernelCode kernel{name.substr(text_prefix.size()), {}};
    for (std::uint64_t at = 0; at + sizeof(InstructionWord) <= entry.sh_size; at += sizeof(InstructionWord)) {
      kernel.words.push_back(read_at<InstructionWord>(bytes, entry.sh_offset + at));
    }
    cubin.kernels.push_back(std::move(kernel));
  }
  return cubin;
}

}  // namespace ptxlat
