// SPDX-License-Identifier: Apache-2.0
#include "bundle/recording.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include "../assemble/fake_toolkit.h"
#include "catch.h"
#include "thrown_error.h"

using namespace ptxlat;
using namespace ptxlat::bundle;

namespace {

ptx::Kernel kernel_of(const std::string& text, std::size_t operand_loads = 0) {
  ptx::Kernel kernel;
  kernel.text = text;
  kernel.operand_loads.resize(operand_loads);
  return kernel;
}

// Gives each module its own cubin and records the names it was given.
class NotingAssembler : public line::KernelAssembler {
 public:
  assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int /*level*/) override {
    const int now = ++at_work;
    most_at_work = std::max(most_at_work.load(), now);
    assemble::BatchOutcome outcome;
    outcome.cubins.push_back({static_cast<std::uint8_t>(++modules)});
    for (const auto& kernel : kernels) {
      names.push_back(kernel.name);
      outcome.kernels.push_back({0, kernel.name, {}});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --at_work;
    return outcome;
  }
  std::vector<std::string> names;
  int modules = 0;
  static inline std::atomic<int> at_work{0}, most_at_work{0};
};
}  // namespace

TEST_CASE("a text is assembled once, whatever else is known of its kernel, and goes by its hash") {
  NotingAssembler inner;
  AssemblerSlots slots(1);
  ConfigurationCode configuration;
  RecordingAssembler recorder(inner, slots, nullptr, configuration);
  const ptx::Kernel one = kernel_of("one", 1), same = kernel_of("one", 2), other = kernel_of("other");
  const auto first = recorder.assemble({{"a", &one}, {"b", &same}, {"c", &other}}, 3);
  CHECK(inner.names == std::vector<std::string>{symbol_of(line::text_hash(one)), symbol_of(line::text_hash(other))});
  CHECK(first.kernels[0].symbol == first.kernels[1].symbol);
  CHECK(first.cubins == std::vector<Bytes>{{1}});

  const ptx::Kernel third = kernel_of("third");
  const auto second = recorder.assemble({{"d", &one}, {"e", &third}}, 3);
  CHECK(inner.names.size() == 3);
  CHECK(second.cubins == std::vector<Bytes>{{1}, {2}});
  CHECK(configuration.answers.size() == 3);
}

TEST_CASE("that an assembler failed at a kernel is known while it is recorded, and final in the bundle") {
  struct FailingAssembler : line::KernelAssembler {
    assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int) override {
      assemble::BatchOutcome outcome;
      for (const auto& kernel : kernels)
        outcome.kernels.push_back({std::nullopt, {}, "its words", kernel.kernel->text == "failing"});
      return outcome;
    }
  } inner;
  AssemblerSlots slots(1);
  ConfigurationCode configuration;
  RecordingAssembler recorder(inner, slots, nullptr, configuration);
  const ptx::Kernel failing = kernel_of("failing"), rejected = kernel_of("rejected");
  const std::vector<line::NamedKernel> kernels{{"a", &failing}, {"b", &rejected}};
  for (int again = 0; again < 2; ++again) {
    const auto outcome = recorder.assemble(kernels, 3);
    CHECK(outcome.kernels[0].assembler_failed);
    CHECK_FALSE(outcome.kernels[1].assembler_failed);
  }
  const auto stored = decode_configuration(encode_code({configuration}), 0);
  const auto outcome = outcome_from({&stored}, kernels);
  CHECK(outcome.kernels[0].log == "its words");
  CHECK_FALSE(outcome.kernels[0].assembler_failed);
}

TEST_CASE("no more assemblers are at work than there are slots") {
  NotingAssembler::most_at_work = 0;
  AssemblerSlots slots(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      NotingAssembler inner;
      ConfigurationCode configuration;
      const ptx::Kernel kernel = kernel_of(std::to_string(i));
      RecordingAssembler(inner, slots, nullptr, configuration).assemble({{"k", &kernel}}, 3);
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(NotingAssembler::most_at_work == 2);
}

TEST_CASE("nvdisasm is started once a round for all configurations of a chunk, of which some end early") {
  FakeToolkits toolkits;
  sass::Nvdisasm nvdisasm(toolkits.add_counting_nvdisasm());
  constexpr std::size_t configurations = 6;
  RecordingDisassembler disassembler(nvdisasm, configurations);
  std::atomic<std::size_t> answers{0};  // Catch2's checks are for one thread
  std::vector<std::thread> threads;
  for (std::size_t configuration = 0; configuration < configurations; ++configuration) {
    threads.emplace_back([&, configuration] {
      for (std::size_t round = 0; round <= configuration; ++round) {
        sass::Instruction instruction{0, {1 + configuration, round}, {}, {}};
        disassembler.disassemble(90, {&instruction});
        answers += instruction.text.starts_with("OP ");
      }
      disassembler.configuration_ends();
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(answers == configurations * (configurations + 1) / 2);
  CHECK(toolkits.starts() == configurations);
  CHECK(disassembler.take_words().size() == configurations * (configurations + 1) / 2);
}

TEST_CASE("a failing nvdisasm is an error in every configuration, and no configuration waits for the others") {
  FakeToolkits toolkits;
  sass::Nvdisasm nvdisasm(toolkits.add_program("fake", "nvdisasm", "exit 1"));
  RecordingDisassembler disassembler(nvdisasm, 3);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (std::uint64_t configuration = 0; configuration < 3; ++configuration) {
    threads.emplace_back([&, configuration] {
      sass::Instruction instruction{0, {1 + configuration, 0}, {}, {}};
      const auto error = error_of([&] { disassembler.disassemble(90, {&instruction}); });
      if (error.exit_code == ExitCode::missing_tool) ++failures;
      disassembler.configuration_ends();
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(failures == 3);
}
