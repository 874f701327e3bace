// SPDX-License-Identifier: Apache-2.0
#include "sass/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "../standin/tiny_cubin.h"
#include "base/error.h"
#include "real_code.h"
#include "sass/window.h"

using namespace ptxlat;
using namespace ptxlat::sass;

namespace {

// A cubin of two kernels for an architecture, as CUDA 12 (abi_version 7) and 13 (8) say it.
Bytes cubin_for(unsigned flags, unsigned char abi_version) {
  auto bytes =
      standin::tiny_cubin({{"first", {standin::read_clock(2), standin::op(0x309, 2, 0), standin::read_clock(1)}},
                           {"second", {standin::op(0x210, 4)}}});
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_flags = flags;
  header.e_ident[EI_ABIVERSION] = abi_version;
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

const Bytes good = cubin_for(90, 7);

std::string rejection(const Bytes& bytes) {
  try {
    read_cubin(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// Whatever the bytes, reading them gives a cubin or an Error.
void check_survives(const Bytes& bytes) {
  try {
    read_cubin(bytes);
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("not a readable cubin: "));
  }
}

}  // namespace

TEST_CASE("kernels come out of a cubin by name, word for word, with their architecture") {
  for (const auto& bytes : {good, cubin_for(90 << 8, 8)}) {
    const auto cubin = read_cubin(bytes);
    CHECK(cubin.sm == 90);
    REQUIRE(cubin.kernels.size() == 2);
    CHECK(cubin.kernels[0].name == "first");
    REQUIRE(cubin.kernels[0].words.size() == 3);
    CHECK(reads_clock(CodeLayout::volta, cubin.kernels[0].words[0]));
    CHECK(opcode_field(CodeLayout::volta, cubin.kernels[0].words[1]) == 0x309);
    CHECK(cubin.kernels[1].words.size() == 1);
  }
}

TEST_CASE("words of a kernel are written over, and nothing else changes") {
  const InstructionWord word{0x1122334455667788, 0x99aabbccddeeff00};
  const auto written = write_words(good, "first", {{16, word}});
  CHECK(written.size() == good.size());
  const auto before = read_cubin(good), after = read_cubin(written);
  for (std::size_t kernel = 0; kernel < before.kernels.size(); ++kernel) {
    for (std::size_t i = 0; i < before.kernels[kernel].words.size(); ++i) {
      const bool is_new = before.kernels[kernel].name == "first" && i == 1;
      CHECK(after.kernels[kernel].words[i] == (is_new ? word : before.kernels[kernel].words[i]));
    }
  }
  CHECK_THROWS_AS(write_words(good, "third", {{0, word}}), Error);
  for (const int offset : {-16, 48, 40}) CHECK_THROWS_AS(write_words(good, "first", {{offset, word}}), Error);
}

TEST_CASE("control bits are put where they are read") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    const InstructionWord word{random(), random()};
    CHECK(with_control(word, control_word(word)) == word);
    const auto other = control_word({0, random()});
    const auto changed = with_control(word, other);
    const auto read = control_word(changed);
    CHECK(std::tuple(read.stall_count, read.yields, read.write_scoreboard, read.read_scoreboard, read.wait_mask,
                     read.reuse) == std::tuple(other.stall_count, other.yields, other.write_scoreboard,
                                               other.read_scoreboard, other.wait_mask, other.reuse));
    CHECK(with_control(changed, control_word(word)) == word);
  }
}

TEST_CASE("the control word of three Maxwell instructions is shared out among them") {
  // CS2R RZ, CS2R R8, POPC R5, R0 and LOP.XOR R5, R5, R0, CS2R RZ, CS2R R9, as ptxas 12.9 makes them for sm_60.
  auto bytes = standin::tiny_cubin({{"kernel",
                                     {{0x001c7400fcc007f1, 0x50c80000050700ff},
                                      {0x50c8000005070008, 0x5c08000000070005},
                                      {0x001f9800fe200ff6, 0x5c47040000070505},
                                      {0x50c80000050700ff, 0x50c8000005070009}}}});
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_flags = 60;
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto cubin = read_cubin(bytes);
  REQUIRE(cubin.kernels.size() == 1);
  const auto& words = cubin.kernels[0].words;
  CHECK(cubin.kernels[0].layout == CodeLayout::maxwell);
  REQUIRE(words.size() == 6);
  CHECK(words[2].low == 0x5c08000000070005);
  const auto popc = control_word(words[2]), lop = control_word(words[3]), clock = control_word(words[0]);
  CHECK(popc.stall_count == 13);
  CHECK(popc.write_scoreboard == 0);
  CHECK(popc.read_scoreboard == ControlWord::no_scoreboard);
  CHECK(popc.wait_mask == 0);
  CHECK(lop.stall_count == 6);
  CHECK(lop.write_scoreboard == ControlWord::no_scoreboard);
  CHECK(lop.wait_mask == 1);
  CHECK(clock.stall_count == 1);
  std::string why;
  const auto window = find_window(cubin.kernels[0], why);
  REQUIRE(window);
  const auto schedule = static_schedule(*window);
  CHECK(schedule.cycles == 6 + 13 + 6);
  CHECK(schedule.edge_cycles == 6 + 6);
}

TEST_CASE("a file that is not a readable cubin is rejected with the reason") {
  CHECK(rejection({}).find("it ends early") != std::string::npos);
  CHECK(rejection(Bytes(200, 0)).find("not an ELF file") != std::string::npos);
  CHECK(rejection(cubin_for(35, 7)).find("unsupported architecture sm_35") != std::string::npos);
  auto narrow = good;
  narrow[EI_CLASS] = ELFCLASS32;
  CHECK(rejection(narrow).find("64-bit") != std::string::npos);
  auto foreign = good;
  foreign[offsetof(Elf64_Ehdr, e_machine)] = EM_X86_64;
  CHECK(rejection(foreign).find("not for a GPU") != std::string::npos);
}

TEST_CASE("a truncated cubin is rejected, wherever it ends") {
  for (std::size_t size = 0; size < good.size(); ++size) {
    INFO(size << " of " << good.size() << " bytes");
    CHECK_FALSE(rejection(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))).empty());
  }
}

TEST_CASE("a damaged cubin never does more harm than an Error") {
  std::mt19937 random(4);
  for (int round = 0; round < 20000; ++round) {
    auto bytes = good;
    for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips)
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    check_survives(bytes);
  }
}

TEST_CASE("a kernel's own subroutine, which linked code has as a function, is appended to it; others are left alone") {
  const auto cubin = read_cubin(standin::tiny_cubin({{"x_pass", {standin::read_clock(1), standin::read_clock(1)}},
                                                     {"x", {standin::op(0x210, 4)}},
                                                     {"first_pass", {standin::op(0x211, 4)}}}));
  REQUIRE(cubin.kernels.size() == 2);
  CHECK(cubin.kernels[0].name == "x");
  REQUIRE(cubin.kernels[0].words.size() == 3);
  CHECK(opcode_field(CodeLayout::volta, cubin.kernels[0].words[0]) == 0x210);
  CHECK(reads_clock(CodeLayout::volta, cubin.kernels[0].words[1]));
  CHECK(cubin.kernels[1].name == "first_pass");
}

TEST_CASE("section offsets near the end of the address space are rejected") {
  for (const std::uint64_t offset : {~0ull, ~0ull - 15, 1ull << 63, ~0ull - sizeof(Elf64_Shdr)}) {
    auto bytes = good;
    std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_shoff), &offset, sizeof offset);
    CHECK_FALSE(rejection(bytes).empty());
  }
}

TEST_CASE("the cubin of every ptxas here has the kernel, and any part of it is rejected or read") {
  for (const auto& toolchain : ptxas_or_skip()) {
    for (const int level : {0, 3}) {
      INFO(toolchain.name << " O" << level);
      const auto outcome = assemble::make_ptxas(toolchain)->assemble(popc_ptx, {90, ""}, level);
      REQUIRE(outcome.cubin);
      const auto cubin = read_cubin(*outcome.cubin);
      CHECK(cubin.sm == 90);
      REQUIRE(cubin.kernels.size() == 1);
      CHECK(cubin.kernels[0].name == "popc_kernel");
      CHECK(cubin.kernels[0].registers >= 4);
      CHECK(cubin.kernels[0].registers <= 255);
      std::string why;
      const auto window = find_window(cubin.kernels[0], why);
      REQUIRE(window);
      CHECK(window->registers == cubin.kernels[0].registers);
      for (std::size_t size = 0; size < outcome.cubin->size(); size += 7) {
        check_survives(Bytes(outcome.cubin->begin(), outcome.cubin->begin() + static_cast<std::ptrdiff_t>(size)));
      }
    }
  }
}
