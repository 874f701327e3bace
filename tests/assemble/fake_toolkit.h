// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/process.h"

namespace ptxlat {

// A folder of toolkits made of shell scripts, for what must hold for any ptxas, broken ones included.
class FakeToolkits {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }

  // toolkits/<name>/bin/<program>, a script with this body.
  std::filesystem::path add_program(const std::string& name, const std::string& program, const std::string& body) {
    const std::filesystem::path file = path() / name / "bin" / program;
    write(file, "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

  // An nvdisasm that knows every word, and notes its starts.
  std::filesystem::path add_counting_nvdisasm() {
    return add_program("fake", "nvdisasm",
                       "echo start >> " + (path() / "starts").string() +
                           "\nsize=$(wc -c < $4)\ni=0\nwhile [ $i -lt $size ]; do\n"
                           "  printf '        /*%04x*/  OP %d ;\\n' $i $i\n  i=$((i + 16))\ndone");
  }
  std::size_t starts() const {
    std::ifstream starts(path() / "starts");
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(starts), {}, '\n'));
  }

  std::filesystem::path add_version(const std::string& name, const std::string& program, const std::string& version) {
    return add_program(name, program, "echo '" + banner(version) + "'");
  }

  // toolkits/<name>/lib/<file>, a library for this processor that states its version and holds nothing else.
  std::filesystem::path add_library(const std::string& name, const std::string& file, const std::string& version) {
    const std::filesystem::path path = this->path() / name / "lib" / file;
    write(path, library(banner(version)));
    return path;
  }

  std::filesystem::path add_nvjitlink(const std::string& name, const std::string& version) {
    return add_library(name, "libnvJitLink.so.13", version);
  }

  // toolkits/<name>/bin/nvdisasm that knows these targets, spelled 'SM75','SM90a'.
  std::filesystem::path add_nvdisasm(const std::string& name, const std::string& version, const std::string& targets) {
    return add_program(
        name, "nvdisasm",
        "if [ $1 = --help ]; then echo \"Allowed values: " + targets + ".\"; else echo '" + banner(version) + "'; fi");
  }

  // An ELF file with a section .rodata that holds `text`; the section table is its end.
  static std::string library(const std::string& text) {
    const std::string names("\0.rodata\0.shstrtab\0", 19);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
#if defined(__aarch64__)
    header.e_machine = EM_AARCH64;
#else
    header.e_machine = EM_X86_64;
#endif
    header.e_shoff = sizeof(header) + text.size() + names.size();
    header.e_shnum = 3;
    header.e_shstrndx = 2;
    Elf64_Shdr sections[3]{};
    sections[1].sh_name = 1;
    sections[1].sh_offset = sizeof(header);
    sections[1].sh_size = text.size();
    sections[2].sh_name = 9;
    sections[2].sh_offset = sizeof(header) + text.size();
    sections[2].sh_size = names.size();
    return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + text + names +
           std::string(reinterpret_cast<const char*>(sections), sizeof(sections));
  }

  static std::string banner(const std::string& version) {
    return "Cuda compilation tools, release " + version.substr(0, version.rfind('.')) + ", V" + version;
  }

  static void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace ptxlat
