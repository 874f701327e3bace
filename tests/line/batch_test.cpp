// SPDX-License-Identifier: Apache-2.0
#include "line/batch.h"

#include <set>

#include "../worker/environment.h"
#include "catch.h"
#include "literal_assembler.h"
#include "no_tools.h"

using namespace ptxlat;
using namespace ptxlat::line;

namespace {

// Makes one cubin from any request.
struct OneCubin : KernelAssembler {
  Bytes cubin;
  explicit OneCubin(Bytes bytes) : cubin(std::move(bytes)) {}
  assemble::BatchOutcome assemble(const std::vector<NamedKernel>& kernels, int) override {
    assemble::BatchOutcome outcome{{cubin}, {}};
    for (const auto& kernel : kernels) outcome.kernels.push_back({0, kernel.name, {}});
    return outcome;
  }
};

ptx::Trial trial_of(const std::string& text, const std::string& role = "bracket") {
  ptx::Trial trial;
  trial.role = role;
  trial.kernel.text = text;
  return trial;
}

// What an assembler's cubin says of a kernel.
AssembledKernel assembled_as(const Bytes& cubin, int sm = 90) {
  Batch batch;
  batch.add(trial_of(".visible .entry {{name}}() { ret; }"), "add.u32");
  OneCubin assembler(cubin);
  NoDisassembler disassembler;
  batch.assemble(assembler, disassembler, sm, 3);
  return batch.kernel_of(0);
}

// A kernel with this many instructions between its clocks, plus something that does not become machine code.
ptx::Trial window_of(int instructions, const std::string& comment = {}) {
  std::string text = "// " + comment + "\n  mov.u32 %clock_1, %clock;\n";
  for (int i = 0; i < instructions; ++i) text += "  x %a;\n";
  return trial_of(text + "  mov.u32 %clock_2, %clock;\n", "chain");
}

// A batch on the stand-in driver, which records what is launched.
struct OnTheStandin {
  Environment environment;
  TemporaryFile log;
  std::vector<std::string> names;
  MeasuredCode measured;
  worker::Worker worker{test_options()};

  OnTheStandin() { environment.set("PTXLAT_STANDIN_LAUNCH_LOG", log.path()); }

  void run(Batch& batch, const std::vector<bool>& wanted, int launches = 1) {
    LiteralAssembler assembler;
    assembler.names = &names;
    LiteralDisassembler disassembler;
    batch.assemble(assembler, disassembler, 90, 3);
    batch.launch(worker, measured, wanted, launches);
  }
};

// Counts what it is asked for.
struct CountingModules : LiteralAssembler {
  std::vector<std::size_t> sizes;
  assemble::BatchOutcome assemble(const std::vector<NamedKernel>& kernels, int level) override {
    sizes.push_back(kernels.size());
    return LiteralAssembler::assemble(kernels, level);
  }
};
struct CountingCalls : LiteralDisassembler {
  int count = 0;
  void disassemble(int sm, const std::vector<sass::Instruction*>& instructions) override {
    ++count;
    LiteralDisassembler::disassemble(sm, instructions);
  }
};

std::uint32_t cycles_of(const MadeTrial& trial) {
  REQUIRE(trial.outcome);
  REQUIRE(trial.outcome->status == ptx::LaunchStatus::ok);
  return ::cycles_of(trial.outcome->readout);
}

}  // namespace

TEST_CASE("a cubin that cannot be read costs its kernels, for now, and not the run") {
  const auto good = standin::tiny_cubin({{"another_kernel", {}}});
  const auto cut_short = Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(good.size() / 2));
  for (const auto& [cubin, reason] : {std::pair{Bytes(200, 'g'), "not a readable cubin: not an ELF file"},
                                      {cut_short, "not a readable cubin: it ends early"},
                                      {good, "its cubin does not have this kernel"}}) {
    const auto kernel = assembled_as(cubin);
    CHECK_FALSE(kernel.cubin);
    CHECK_FALSE(kernel.window);
    CHECK(kernel.assembler_failed);
    CHECK_THAT(kernel.log, Catch::Matchers::EndsWith(reason));
  }
}

TEST_CASE("a cubin for another architecture is no machine code of this one") {
  const auto kernel = assembled_as(standin::tiny_cubin({{"bracket_add_u32_0", {}}}), 100);
  CHECK_FALSE(kernel.cubin);
  CHECK_THAT(kernel.log, Catch::Matchers::Contains("its cubin is for sm_90"));
}

TEST_CASE("the key of machine code tells every part of a launch apart, and the number of launches") {
  const sass::KernelCode code{"k", {{1, 2}, {3, 4}}, sass::CodeLayout::volta};
  const auto with = [](auto change) {
    ptx::Launch launch;
    launch.buffers = {{64, ptx::Buffer::Contents::ring, 8, 1, 2}};
    change(launch);
    return launch;
  };
  const std::vector<ptx::Launch> launches = {
      with([](ptx::Launch&) {}),
      with([](ptx::Launch& l) { l.threads = 64; }),
      with([](ptx::Launch& l) { l.ctas = 2; }),
      with([](ptx::Launch& l) { l.dynamic_shared = 1; }),
      with([](ptx::Launch& l) { l.carve_out = 0; }),
      with([](ptx::Launch& l) { l.uses_memory = true; }),
      with([](ptx::Launch& l) { l.round = 1; }),
      with([](ptx::Launch& l) { l.input = {0}; }),
      with([](ptx::Launch& l) { l.input = {1}; }),
      with([](ptx::Launch& l) { l.parameters = {0}; }),
      with([](ptx::Launch& l) { l.output_ctas = 2; }),
      with([](ptx::Launch& l) { l.output_words = {0}; }),
      with([](ptx::Launch& l) {
        l.output_words = {1, 0};
      }),
      with([](ptx::Launch& l) { l.buffers.clear(); }),
      with([](ptx::Launch& l) { l.buffers.push_back(l.buffers.front()); }),
      with([](ptx::Launch& l) { l.buffers[0].bytes = 128; }),
      with([](ptx::Launch& l) { l.buffers[0].contents = ptx::Buffer::Contents::permutation; }),
      with([](ptx::Launch& l) { l.buffers[0].stride = 16; }),
      with([](ptx::Launch& l) { l.buffers[0].seed = 2; }),
      with([](ptx::Launch& l) { l.buffers[0].read_words = 3; }),
  };
  std::set<CodeKey> keys;
  for (const auto& launch : launches) keys.insert(code_key(code, launch, 9));
  CHECK(keys.size() == launches.size());
  keys.insert(code_key(code, launches.front(), 8));
  keys.insert(code_key({"k", {{1, 2}, {3, 5}}, sass::CodeLayout::volta}, launches.front(), 9));
  keys.insert(code_key({"k", {{1, 2}}, sass::CodeLayout::volta}, launches.front(), 9));
  CHECK(keys.size() == launches.size() + 3);
  INFO("the kernel's name is not its code");
  CHECK(keys.contains(code_key({"other", code.words, sass::CodeLayout::volta}, launches.front(), 9)));
}

TEST_CASE("equal trials are one, and trials of one kernel are assembled once") {
  OnTheStandin standin;
  Batch batch;
  const auto trial = window_of(1);
  auto wider = trial, repeated = trial, elsewhere = trial, again = trial;
  wider.launch.threads = 64;
  repeated.launches = 5;
  elsewhere.role = "stream";
  again.launch.round = 1;
  CHECK(batch.add(trial, "one") == 0);
  CHECK(batch.add(trial, "two") == 0);
  CHECK(batch.add(elsewhere, "three") == 0);
  CHECK(batch.add(wider, "one") == 1);
  CHECK(batch.add(repeated, "one") == 2);
  CHECK(batch.add(again, "one") == 3);
  CHECK(batch.size() == 4);
  standin.run(batch, {true, true, true, true});
  CHECK(standin.names == std::vector<std::string>{"chain_one_0"});
  CHECK(standin.log.lines().size() == 1 + 1 + 5 + 1);
  for (std::size_t i = 0; i < 3; ++i) CHECK(cycles_of(batch.trial(i)) == 5);
}

TEST_CASE("what is not wanted is not launched") {
  OnTheStandin standin;
  Batch batch;
  batch.add(window_of(1), "a");
  batch.add(window_of(2), "b");
  standin.run(batch, {false, true});
  CHECK(standin.log.lines() == std::vector<std::string>{"chain_b_1"});
  CHECK_FALSE(batch.trial(0).outcome);
  CHECK(cycles_of(batch.trial(1)) == 9);
}

TEST_CASE("the same machine code is launched once, for the form that had it first") {
  OnTheStandin standin;
  Batch batch;
  batch.add(window_of(2, "first"), "add.u32");
  batch.add(window_of(2, "second"), "sub.u32");
  standin.run(batch, {true, true});
  CHECK(standin.log.lines().size() == 1);
  CHECK(cycles_of(batch.trial(1)) == 9);
  CHECK(batch.trial(0).measured_as.empty());
  CHECK(batch.trial(1).measured_as == "add.u32");

  INFO("also in a later chunk");
  Batch later;
  later.add(window_of(2, "third"), "xor.b32");
  standin.run(later, {true});
  CHECK(standin.log.lines().size() == 1);
  CHECK(later.trial(0).measured_as == "add.u32");
}

TEST_CASE("a kernel that uses memory is launched three times as often") {
  OnTheStandin standin;
  Batch batch;
  auto trial = window_of(1);
  trial.launch.uses_memory = true;
  batch.add(trial, "ld");
  standin.run(batch, {true}, 2);
  CHECK(batch.trial(0).outcome->readout.launches == 6);
}

TEST_CASE("modules have as many kernels as they may, and all their words are disassembled together") {
  CountingModules modules;
  CountingCalls calls;
  Batch batch;
  for (int i = 1; i <= 5; ++i) batch.add(window_of(i), "x");
  batch.assemble(modules, calls, 90, 3, 2);
  CHECK(modules.sizes == std::vector<std::size_t>{2, 2, 1});
  CHECK(calls.count == 1);
  CHECK(batch.cubin_of(0) == batch.cubin_of(1));
  CHECK(batch.cubin_of(1) != batch.cubin_of(2));
  for (std::size_t i = 0; i < 5; ++i) CHECK(batch.kernel_of(i).window);
}

TEST_CASE("what is added later is assembled apart from what was") {
  OnTheStandin standin;
  Batch batch;
  batch.add(window_of(1), "a");
  standin.run(batch, {false});
  batch.add(window_of(2), "b");
  batch.add(window_of(1), "c");
  standin.run(batch, {true, true});
  CHECK(standin.names == std::vector<std::string>{"chain_a_0", "chain_b_1"});
  CHECK(cycles_of(batch.trial(0)) == 5);
  CHECK(cycles_of(batch.trial(1)) == 9);
}
