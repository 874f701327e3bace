// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <string>

#include "assemble/assembler.h"
#include "catch.h"
#include "scripted_assembler.h"

namespace ptxlat::assemble {
namespace {

const isa::Target sm_90{90, ""};
const std::string header = ".version 9.0\n.target sm_90\n.address_size 64\n";

std::string names_in(const Bytes& cubin) { return std::string(cubin.begin(), cubin.end()); }

// Every bad kernel is rejected with its own message, every other is in the cubin that the outcome names.
void check(const BatchOutcome& outcome, const std::vector<KernelText>& kernels, const std::set<std::string>& bad) {
  REQUIRE(outcome.kernels.size() == kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    INFO(kernels[i].name);
    const KernelOutcome& kernel = outcome.kernels[i];
    if (bad.contains(kernels[i].name)) {
      CHECK_FALSE(kernel.cubin.has_value());
      CHECK_FALSE(kernel.log.empty());
    } else {
      REQUIRE(kernel.cubin.has_value());
      REQUIRE(*kernel.cubin < outcome.cubins.size());
      CHECK(("\n" + names_in(outcome.cubins[*kernel.cubin])).find("\n" + kernels[i].name + "\n") != std::string::npos);
      CHECK(kernel.log.empty());
    }
  }
}

}  // namespace

TEST_CASE("kernels with nothing wrong become one cubin in one call") {
  ScriptedAssembler assembler;
  const auto kernels = numbered_kernels(50);
  const BatchOutcome outcome = assemble_batch(assembler, header, kernels, sm_90, 3);
  check(outcome, kernels, {});
  CHECK(outcome.cubins.size() == 1);
  CHECK(assembler.calls == 1);
}

TEST_CASE("no kernels need no assembler") {
  ScriptedAssembler assembler;
  const BatchOutcome outcome = assemble_batch(assembler, header, {}, sm_90, 3);
  CHECK(outcome.kernels.empty());
  CHECK(assembler.calls == 0);
}

TEST_CASE("kernels that the log names are dropped together, and keep their own words only") {
  ScriptedAssembler assembler;
  assembler.bad = {"k3", "k17", "k99"};
  const auto kernels = numbered_kernels(100);
  const BatchOutcome outcome = assemble_batch(assembler, header, kernels, sm_90, 3);
  check(outcome, kernels, assembler.bad);
  CHECK(assembler.calls == 2);
  CHECK(outcome.kernels[17].log == "line 2: error: k17 is bad\n");
  CHECK(outcome.cubins.size() == 1);
}

TEST_CASE("errors that the assembler did not report the first time are found the next time") {
  ScriptedAssembler assembler;
  assembler.bad = {"k3", "k17", "k40", "k41", "k99"};
  assembler.reported = 2;
  const auto kernels = numbered_kernels(100);
  check(assemble_batch(assembler, header, kernels, sm_90, 3), kernels, assembler.bad);
  CHECK(assembler.calls == 4);
}

TEST_CASE("an assembler that crashes on one kernel costs that kernel") {
  ScriptedAssembler assembler;
  assembler.crashes = true;
  assembler.bad = {"k77"};
  const auto kernels = numbered_kernels(128);
  const BatchOutcome outcome = assemble_batch(assembler, header, kernels, sm_90, 3);
  check(outcome, kernels, assembler.bad);
  CHECK(outcome.kernels[77].log == "ptxas died of signal 11 (Segmentation fault)\n");
  for (std::size_t i = 0; i < kernels.size(); ++i) CHECK(outcome.kernels[i].assembler_failed == (i == 77));
  CHECK(assembler.calls <= 2 * 7 + 2);
}

TEST_CASE("an assembler that rejects everything is found out at once") {
  ScriptedAssembler assembler;
  assembler.rejects_everything = true;
  const BatchOutcome outcome = assemble_batch(assembler, header, numbered_kernels(500), sm_90, 3);
  CHECK(assembler.calls == 2);
  for (const KernelOutcome& kernel : outcome.kernels) {
    CHECK(kernel.log == "fatal: Value 'sm_999' is not defined for option 'gpu-name'\n");
    CHECK_FALSE(kernel.assembler_failed);
  }
}

TEST_CASE("an assembler that fails at everything fails at each kernel, even at those that it had words about") {
  struct FailingAssembler : Assembler {
    ModuleOutcome assemble(const std::string&, const isa::Target&, int) override { return {std::nullopt, log, true}; }
    std::string log;
  } assembler;
  assembler.log = "ptxas died of signal 9 (Killed)\n";
  for (const KernelOutcome& kernel : assemble_batch(assembler, header, numbered_kernels(3), sm_90, 3).kernels) {
    CHECK(kernel.log == assembler.log);
    CHECK(kernel.assembler_failed);
  }
  assembler.log = "ptxas module.ptx, line 6; error   : k0 is bad\n" + assembler.log;
  for (const std::size_t count : {1, 3}) {
    const auto first = assemble_batch(assembler, header, numbered_kernels(count), sm_90, 3).kernels.front();
    CHECK(first.log == "line 2: error: k0 is bad\n");
    CHECK(first.assembler_failed);
  }
}

TEST_CASE("a kernel with a character outside ASCII is rejected with its line, and its neighbours are kept") {
  ScriptedAssembler assembler;
  auto kernels = numbered_kernels(3);
  kernels[1].body = ".visible .entry k1() {\n  // \xC2\xB5s\n}";
  const BatchOutcome outcome = assemble_batch(assembler, header, kernels, sm_90, 3);
  check(outcome, kernels, {"k1"});
  CHECK(outcome.kernels[1].log == "line 2: error: PTX must be ASCII, comments included\n");
}

TEST_CASE("any set of bad kernels is found exactly, whatever the log says about it") {
  std::mt19937 random(20240521);
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 60;
    const auto kernels = numbered_kernels(count);
    ScriptedAssembler assembler;
    assembler.crashes = random() % 3 == 0;
    assembler.reported = random() % 4;
    const std::size_t one_in = 1 + random() % 20;
    for (const KernelText& kernel : kernels) {
      if (random() % one_in == 0) assembler.bad.insert(kernel.name);
    }
    INFO("round " << round);
    check(assemble_batch(assembler, header, kernels, sm_90, 3), kernels, assembler.bad);
  }
}

}  // namespace ptxlat::assemble
