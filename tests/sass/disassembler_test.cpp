// SPDX-License-Identifier: Apache-2.0
#include "sass/disassembler.h"

#include <optional>
#include <thread>

#include "../assemble/fake_toolkit.h"
#include "assemble/toolchain.h"
#include "base/error.h"
#include "real_code.h"
#include "sass/window.h"

using namespace ptxlat;
using namespace ptxlat::sass;

namespace {

std::vector<Instruction> instructions_of(const KernelCode& kernel) {
  std::vector<Instruction> code;
  for (const auto& word : kernel.words) {
    code.push_back({static_cast<int>(16 * code.size()), word, control_word(word), {}});
  }
  return code;
}

std::vector<Instruction*> pointers_to(std::vector<Instruction>& code) {
  std::vector<Instruction*> pointers;
  for (auto& instruction : code) pointers.push_back(&instruction);
  return pointers;
}

// The popc kernel, from the newest ptxas. Skips the case without one.
std::vector<Instruction> popc_kernel() {
  const auto toolchains = ptxas_or_skip();
  const auto outcome = assemble::make_ptxas(toolchains.front())->assemble(popc_ptx, {90, ""}, 3);
  REQUIRE(outcome.cubin);
  return instructions_of(read_cubin(*outcome.cubin).kernels.front());
}

void check_broken(const std::string& script, const std::string& says) {
  FakeToolkits toolkits;
  Nvdisasm disassembler(toolkits.add_program("fake", "nvdisasm", script));
  Instruction instruction{0, {0x210, 0}, {}, {}};
  try {
    disassembler.disassemble(90, {&instruction});
    FAIL("a broken nvdisasm was believed");
  } catch (const Error& error) {
    INFO(error.what());
    CHECK(error.exit_code == ExitCode::missing_tool);
    CHECK(std::string(error.what()).find(says) != std::string::npos);
    CHECK_FALSE(error.advice.empty());
  }
}

}  // namespace

TEST_CASE("every instruction of a kernel gets its text, and branches go to an address in that kernel") {
  const auto nvdisasm = nvdisasm_or_skip();
  auto code = popc_kernel();
  Nvdisasm disassembler(nvdisasm);
  disassembler.disassemble(90, pointers_to(code));
  int clocks = 0, popcs = 0, branches = 0;
  for (const auto& instruction : code) {
    INFO(instruction.text);
    CHECK_FALSE(instruction.text.empty());
    const auto opcode = opcode_of(instruction.text);
    clocks += instruction.text.find("SR_CLOCKLO") != std::string::npos ? 1 : 0;
    popcs += opcode == "POPC" ? 1 : 0;
    if (opcode != "BRA") continue;
    ++branches;
    const auto target = std::stoul(instruction.text.substr(instruction.text.rfind("0x")), nullptr, 16);
    CHECK(target < 16 * code.size());
    CHECK(target % 16 == 0);
  }
  CHECK(clocks == 2);
  CHECK(popcs == 1);
  CHECK(branches >= 2);  // back to PASS, and the endless loop after EXIT
}

TEST_CASE("one word at two places of a kernel branches to two places") {
  const auto nvdisasm = nvdisasm_or_skip();
  auto code = popc_kernel();
  // ptxas ends a kernel with a branch to itself.
  auto last = std::find_if(code.begin(), code.end(), [](const Instruction& i) {
    return opcode_field(CodeLayout::volta, i.word) == 0x947 && i.word.low >> 32 == 0xfffffff0;
  });
  if (last == code.end())
    last = std::find_if(code.rbegin(), code.rend(),
                        [](const Instruction& i) { return opcode_field(CodeLayout::volta, i.word) == 0x947; })
               .base() -
           1;
  auto load_address = *last;
  load_address.word = {0x000000001014794e, 0x000fce0000000000};  // LEPC, before a call by address
  for (const auto& instruction : {*last, load_address}) {
    auto here = instruction, there = instruction;
    here.offset = 0x100;
    there.offset = 0x200;
    Nvdisasm disassembler(nvdisasm);
    disassembler.disassemble(90, {&here, &there});
    INFO(here.text);
    const auto target = [](const Instruction& i) { return std::stoul(i.text.substr(i.text.rfind("0x")), nullptr, 16); };
    CHECK(target(there) - target(here) == 0x100);
  }
}

TEST_CASE("threads that ask at the same time all get their answers") {
  const auto nvdisasm = nvdisasm_or_skip();
  const auto code = popc_kernel();
  Nvdisasm disassembler(nvdisasm, {2});
  auto alone = code;
  Nvdisasm(nvdisasm).disassemble(90, pointers_to(alone));
  std::vector<std::vector<Instruction>> own(8, code);
  std::vector<std::thread> threads;
  for (auto& mine : own) {
    threads.emplace_back([&] {
      for (auto& instruction : mine) disassembler.disassemble(90, {&instruction});
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& mine : own) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (opcode_of(mine[i].text) != "BRA") CHECK(mine[i].text == alone[i].text);
    }
  }
}

TEST_CASE("a branch backwards has the same text whatever else was asked for before") {
  const auto nvdisasm = nvdisasm_or_skip();
  auto together = popc_kernel();
  Nvdisasm(nvdisasm).disassemble(90, pointers_to(together));
  for (auto alone : together) {
    if (opcode_of(alone.text) != "BRA") continue;
    const auto expected = alone.text;
    Nvdisasm(nvdisasm).disassemble(90, {&alone});
    CHECK(alone.text == expected);
  }
}

TEST_CASE("Maxwell's instructions are read in any number, their branches relative to themselves") {
  std::filesystem::path nvdisasm;
  try {
    nvdisasm = assemble::nvdisasm_for({60, ""}, all_toolkits());
  } catch (const Error&) {
    skip("no nvdisasm that reads sm_60 on this machine (tools/toolkits.sh 12.3 brings one)");
  }
  // As ptxas 12.9 makes them for sm_60; the branch stood at 0xd0 and went back to 0x30.
  const std::vector<std::pair<std::uint64_t, std::string>> known = {{0x50c8000005070008, "CS2R R8, SR_CLOCKLO"},
                                                                    {0x5c08000000070005, "POPC R5, R0"},
                                                                    {0xe2400ffff588000f, "@!P0 BRA 0x30"},
                                                                    {0x1c00000000170404, "IADD32I R4, R4, 0x1"},
                                                                    {0x5c47040000070505, "LOP.XOR R5, R5, R0"}};
  for (std::size_t count = 1; count <= known.size(); ++count) {
    std::vector<Instruction> code;
    for (std::size_t i = 0; i < count; ++i) code.push_back({0xd0, {known[i].first, 0}, {}, {}});
    Nvdisasm(nvdisasm).disassemble(60, pointers_to(code));
    for (std::size_t i = 0; i < count; ++i) CHECK(code[i].text == known[i].second);
  }
}

namespace {

// Lets each of four threads ask for a different word; returns how often nvdisasm was started.
std::size_t starts_for_four(const NvdisasmPace& pace) {
  FakeToolkits toolkits;
  Nvdisasm disassembler(toolkits.add_counting_nvdisasm(), pace);
  std::atomic<int> answered{0};
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      Instruction instruction{0, {0x210 + i, 0}, {}, {}};
      disassembler.disassemble(90, {&instruction});
      if (!instruction.text.empty()) ++answered;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(answered == 4);
  return toolkits.starts();
}

}  // namespace

TEST_CASE("nvdisasm waits for as many threads as are worth a start, and then answers all") {
  CHECK(starts_for_four({1, 4, std::chrono::hours(1)}) == 1);
}

TEST_CASE("threads that are too few for a start wait no longer than the first has max_wait") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK(starts_for_four({1, 5, std::chrono::milliseconds(300)}) >= 1);
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(300));
}

TEST_CASE("a thread does not wait for others if there are none, or no longer") {
  FakeToolkits toolkits;
  const auto nvdisasm = toolkits.add_counting_nvdisasm();
  const auto begin = std::chrono::steady_clock::now();
  Nvdisasm disassembler(nvdisasm, {1, 2, std::chrono::hours(1)});
  const auto ask = [&](std::uint64_t word) {
    const AskingThread asking(disassembler);
    Instruction instruction{0, {word, 0}, {}, {}};
    disassembler.disassemble(90, {&instruction});
    return !instruction.text.empty();
  };
  CHECK(ask(0x210));
  std::optional<AskingThread> first(disassembler), second(disassembler), third(disassembler);
  std::thread ends([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    second.reset();
    third.reset();
  });
  CHECK(ask(0x211));  // one of four
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(200));
  ends.join();
}

TEST_CASE("half of many threads are worth a start, and one of few") {
  CHECK(nvdisasm_pace(1).batch_threads == 1);
  CHECK(nvdisasm_pace(4).batch_threads == 2);
  CHECK(nvdisasm_pace(32).batch_threads == 16);
  CHECK(nvdisasm_pace(32).processes == 1);
  CHECK(nvdisasm_pace(64).processes == 2);
}

TEST_CASE("nothing to disassemble needs no nvdisasm") { Nvdisasm("/nonexistent/nvdisasm").disassemble(90, {}); }

TEST_CASE("a missing or broken nvdisasm is an error that says how to get one") {
  check_broken("exit 1", "status 1");
  check_broken("kill -SEGV $$", "signal 11");
  check_broken("echo nonsense", "wrote no listing");
  check_broken("exec yes", "wrote more output than expected");
  check_broken("ulimit -v; exit 1", ": 4194304\n");
  Nvdisasm disassembler("/nonexistent/nvdisasm");
  Instruction instruction{0, {0x210, 0}, {}, {}};
  CHECK_THROWS_AS(disassembler.disassemble(90, {&instruction}), Error);
  CHECK_THROWS_AS(disassembler.disassemble(90, {&instruction}), Error);
}

TEST_CASE("a failure reaches every thread that waits") {
  FakeToolkits toolkits;
  Nvdisasm disassembler(toolkits.add_program("fake", "nvdisasm", "sleep 0.2; exit 1"));
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      Instruction instruction{0, {0x210 + i % 2, 0}, {}, {}};
      try {
        disassembler.disassemble(90, {&instruction});
      } catch (const Error&) {
        ++failures;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(failures == 4);
}
