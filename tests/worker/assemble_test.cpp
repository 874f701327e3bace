// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "../results/test_folder.h"
#include "assemble/toolchain.h"
#include "base/error.h"
#include "base/limits.h"
#include "catch.h"
#include "environment.h"
#include "wait_until.h"

using namespace ptxlat;
using namespace ptxlat::worker;
using namespace std::chrono_literals;

namespace {

const isa::Target sm_90{90, ""};

std::string module_of(const std::string& instruction) {
  return ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry probe(.param .u64 out, .param .u64 in)\n{\n"
         "  .reg .b32 %r<9>; .reg .b64 %rd<3>;\n"
         "  ld.param.u64 %rd1, [out];\n  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %clock;\n" +
         instruction + "\n  mov.u32 %r4, %clock;\n  st.global.v4.u32 [%rd1], {%r2, %r4, %r1, %r3};\n  ret;\n}\n";
}

assemble::Toolchain driver() {
  return {assemble::ToolchainKind::driver, "driver-0.0.standin", "0.0.standin", "", 9, 0};
}

// A toolchain of this kind found on the machine. Skips the case without one.
assemble::Toolchain find_one(assemble::ToolchainKind kind) {
  for (const assemble::Toolchain& toolchain : assemble::find_toolchains())
    if (toolchain.kind == kind) return toolchain;
  skip(std::string("no ") + (kind == assemble::ToolchainKind::ptxas ? "ptxas" : "nvJitLink") +
       " on this machine (tools/toolkits.sh brings one)");
}

}  // namespace

TEST_CASE("the driver's JIT hands back a cubin that runs, at every level") {
  const auto ptxas = find_one(assemble::ToolchainKind::ptxas);
  Environment environment;
  environment.set("PTXLAT_STANDIN_PTXAS", ptxas.path.string());
  Worker worker(test_options());
  for (int level = 0; level <= 4; ++level) {
    const assemble::ModuleOutcome module = worker.assemble(driver(), module_of("add.u32 %r3, %r1, %r1;"), sm_90, level);
    INFO("level " << level << ": " << module.log);
    REQUIRE(module.cubin);
    LaunchBatch batch = test_batch(1);
    batch.cubin = *module.cubin;
    batch.kernels[0].kernel = "probe";
    const auto outcomes = worker.launch(batch);
    REQUIRE(outcomes[0].status == ptx::LaunchStatus::ok);
    // Not more than 0 cycles: ptxas 13.5 writes stall counts of 0 at -O0, and the stand-in adds up nothing else.
    CHECK(outcomes[0].readout.launches == 3);
  }
}

TEST_CASE("the driver's JIT rejects in its own words") {
  const auto ptxas = find_one(assemble::ToolchainKind::ptxas);
  Environment environment;
  environment.set("PTXLAT_STANDIN_PTXAS", ptxas.path.string());
  const auto assemblers = make_worker_assemblers(test_options(), driver(), 1);
  const assemble::ModuleOutcome module = assemblers.front()->assemble(module_of("nonsense.u32 %r3;"), sm_90, 3);
  CHECK_FALSE(module.cubin);
  CHECK_FALSE(module.assembler_failed);
  CHECK(module.log.find("nonsense") != std::string::npos);
}

TEST_CASE("a driver that has lost its JIT is an error and not a rejection of the module") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_PTXAS", "/nonexistent/ptxas");
  const auto assemblers = make_worker_assemblers(test_options(), driver(), 1);
  CHECK_THROWS_AS(assemblers.front()->assemble(module_of("add.u32 %r3, %r1, %r1;"), sm_90, 3), Error);
}

TEST_CASE("a JIT that fails without a word about the PTX has not rejected it") {
  const TestFolder folder;
  const auto broken = folder.path / "ptxas";
  std::ofstream(broken) << "#!/bin/sh\necho garbage\nexit 1\n";
  std::filesystem::permissions(broken, std::filesystem::perms::owner_all);
  Environment environment;
  environment.set("PTXLAT_STANDIN_PTXAS", broken.string());
  const auto assemblers = make_worker_assemblers(test_options(), driver(), 1);
  const assemble::ModuleOutcome module = assemblers.front()->assemble(module_of("add.u32 %r3, %r1, %r1;"), sm_90, 3);
  CHECK_FALSE(module.cubin);
  CHECK(module.assembler_failed);
  CHECK(module.log == "garbage\nthe assembler failed: CUDA_ERROR_INVALID_PTX: the stand-in's own words");
}

TEST_CASE("a crash of the driver's JIT is a rejection, and the next module is assembled") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_CRASH_JIT", "crash");
  environment.set("PTXLAT_STANDIN_PTXAS", "/bin/ls");
  Worker worker(test_options());
  const assemble::ModuleOutcome crashed = worker.assemble(driver(), "// crash", sm_90, 3);
  CHECK_FALSE(crashed.cubin);
  CHECK(crashed.assembler_failed);
  CHECK(crashed.log == "the assembler failed: the driver's JIT died of signal 6 (Aborted)");
  CHECK(worker.assemble(driver(), "// fine", sm_90, 3).log.find("/bin/ls") != std::string::npos);
}

TEST_CASE("a hang of the driver's JIT is a rejection at the deadline") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_HANG_JIT", "hang");
  WorkerOptions options = test_options();
  options.assemble_deadline = 300ms;
  const assemble::ModuleOutcome hung = Worker(options).assemble(driver(), "// hang", sm_90, 3);
  CHECK_FALSE(hung.cubin);
  CHECK(hung.assembler_failed);
  CHECK(hung.log == "the assembler failed: the driver's JIT did not finish within 300 ms");
}

namespace {

// The outcome of one module in each of `count` threads that share processes; the first thread's is `special`.
std::vector<assemble::ModuleOutcome> assemble_in_threads(const WorkerOptions& options, std::size_t count,
                                                         const std::string& special) {
  const auto assemblers = make_worker_assemblers(options, driver(), count);
  std::vector<assemble::ModuleOutcome> outcomes(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 3; ++repeat) {
        const bool is_special = i == 0 && repeat == 1;
        const assemble::ModuleOutcome outcome =
            assemblers[i]->assemble(module_of(is_special ? special : "add.u32 %r3, %r1, %r1;"), sm_90, 3);
        if (is_special || i > 0) outcomes[i] = outcome;
        if (i > 0 && !outcome.cubin) return;
      }
    });
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

}  // namespace

TEST_CASE("threads that share processes lose only the module that crashes or hangs one") {
  const auto ptxas = find_one(assemble::ToolchainKind::ptxas);
  Environment environment;
  environment.set("PTXLAT_STANDIN_PTXAS", ptxas.path.string());
  environment.set("PTXLAT_STANDIN_CRASH_JIT", "// crash");
  environment.set("PTXLAT_STANDIN_HANG_JIT", "// hang");
  WorkerOptions options = test_options();
  std::string expected_log = "the assembler failed: the driver's JIT died of signal 6 (Aborted)";
  std::string special = "// crash";
  SECTION("crash") {}
  SECTION("hang") {
    options.assemble_deadline = 5s;  // many times as long as the others need
    expected_log = "the assembler failed: the driver's JIT did not finish within 5 s";
    special = "// hang";
  }
  const auto outcomes = assemble_in_threads(options, 6, special);
  CHECK_FALSE(outcomes[0].cubin);
  CHECK(outcomes[0].assembler_failed);
  CHECK(outcomes[0].log == expected_log);
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    INFO("thread " << i << ": " << outcomes[i].log);
    CHECK(outcomes[i].cubin);
  }
}

namespace {

// The processes that this one has started and that have not ended.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream of_task(task.path() / "children");
    for (pid_t child = 0; of_task >> child;) all.push_back(child);
  }
  return all;
}

}  // namespace

TEST_CASE("the driver has one process for every two assemblers, started when it is needed") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_PTXAS", "/bin/ls");  // rejects its options, in few milliseconds
  environment.set("PTXLAT_STANDIN_HANG_JIT", "// hang");
  const auto assemblers = make_worker_assemblers(test_options(), driver(), 5);
  CHECK(children().size() == 1);
  for (const auto& assembler : assemblers)
    CHECK(assembler->assemble("// fine", sm_90, 3).log.find("/bin/ls") != std::string::npos);
  CHECK(children().size() == 1);

  WorkerOptions options = test_options();
  options.assemble_deadline = 1s;
  const auto hanging = make_worker_assemblers(options, driver(), 5);
  std::vector<std::thread> threads;
  for (const auto& assembler : hanging) threads.emplace_back([&] { assembler->assemble("// hang", sm_90, 3); });
  wait_until([&] { return children().size() == 1 + 3; });
  for (auto& thread : threads) thread.join();
}

TEST_CASE("the driver's code is that of whole programs, by CUPTI or by its own cache, or else says that it is not") {
  const auto ptxas = find_one(assemble::ToolchainKind::ptxas);
  Environment environment;
  environment.set("PTXLAT_STANDIN_PTXAS", ptxas.path.string());
  environment.set("PTXLAT_LIBCUPTI", PTXLAT_TEST_LIBCUDA);
  std::string way;
  bool is_whole_program = true;
  SECTION("CUPTI") { way = "cuModuleLoadDataEx, with CUPTI"; }
  SECTION("the cache, if somebody else uses CUPTI") {
    environment.set("PTXLAT_STANDIN_CUPTI", "taken");
    way = "cuModuleLoadDataEx, with the driver's cache";
  }
  SECTION("the cache, if there is no CUPTI") {
    environment.set("PTXLAT_LIBCUPTI", "/nonexistent/libcupti.so.13");
    way = "cuModuleLoadDataEx, with the driver's cache";
  }
  SECTION("neither") {
    environment.set("PTXLAT_STANDIN_CUPTI", "taken");
    environment.set("PTXLAT_STANDIN_JIT_CACHE", "garbage");
    way = "cuLink, because cuModuleLoadDataEx with the driver's cache";
    is_whole_program = false;
  }
  const auto assemblers = make_worker_assemblers(test_options(), driver(), 2);
  const auto origin = assemblers.front()->origin();
  CHECK(origin.is_whole_program == is_whole_program);
  CHECK(origin.way.starts_with(way));
  for (int repeat = 0; repeat < 2; ++repeat) {  // the same module again is made again
    const auto module = assemblers.back()->assemble(module_of("add.u32 %r3, %r1, %r1;"), sm_90, 3);
    INFO(module.log);
    REQUIRE(module.cubin);
    CHECK(standin::read_cubin(module.cubin->data()).contains("probe"));
  }
  CHECK_FALSE(assemblers.back()->assemble(module_of("nonsense.u32 %r3;"), sm_90, 3).assembler_failed);
}

TEST_CASE("a process that was killed, or whose device is gone, is replaced") {
  const auto ptxas = find_one(assemble::ToolchainKind::ptxas);
  Environment environment;
  environment.set("PTXLAT_STANDIN_PTXAS", ptxas.path.string());
  WorkerOptions options = test_options();
  const auto fine = module_of("add.u32 %r3, %r1, %r1;");
  SECTION("killed") {
    const auto assemblers = make_worker_assemblers(options, driver(), 2);
    REQUIRE(assemblers.front()->assemble(fine, sm_90, 3).cubin);
    REQUIRE(children().size() == 1);
    kill(children().front(), SIGKILL);
    CHECK(assemblers.front()->assemble(fine, sm_90, 3).cubin);
  }
  SECTION("gone") {
    options.device = 7;
    options.spare_devices = {8, 0};
    const auto assemblers = make_worker_assemblers(options, driver(), 2);
    CHECK(assemblers.front()->assemble(fine, sm_90, 3).cubin);
  }
}

TEST_CASE("all assemblers that share processes are told that there is no driver") {
  Environment environment;
  environment.set("PTXLAT_LIBCUDA", "/nonexistent/libcuda.so.1");
  const auto assemblers = make_worker_assemblers(test_options(), driver(), 2);
  for (const auto& assembler : assemblers) CHECK_THROWS_AS(assembler->assemble("", sm_90, 3), Error);
}

TEST_CASE("nvJitLink assembles in a worker that has no driver") {
  const auto nvjitlink = find_one(assemble::ToolchainKind::nvjitlink);
  Environment environment;
  environment.set("PTXLAT_LIBCUDA", "/nonexistent/libcuda.so.1");
  const auto assemblers = make_worker_assemblers(test_options(), nvjitlink, 1);
  for (int level = 0; level <= 3; ++level) {
    const assemble::ModuleOutcome module =
        assemblers.front()->assemble(module_of("add.u32 %r3, %r1, %r1;"), sm_90, level);
    INFO("level " << level << ": " << module.log);
    REQUIRE(module.cubin);
    CHECK(standin::read_cubin(module.cubin->data()).contains("probe"));
  }
  const assemble::ModuleOutcome rejected = assemblers.front()->assemble(module_of("nonsense.u32 %r3;"), sm_90, 3);
  CHECK_FALSE(rejected.cubin);
  CHECK_FALSE(rejected.assembler_failed);
  CHECK(rejected.log.find("nonsense") != std::string::npos);
}

TEST_CASE("nvJitLink has a bounded amount of memory, which it may use up for one module, and a driver has all") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip("sanitizers need more memory");
#endif
  const auto nvjitlink = find_one(assemble::ToolchainKind::nvjitlink);
  const Environment environment;
  Worker worker(test_options());
  const auto address_space = [&] {
    std::ifstream limits(fmt::format("/proc/{}/limits", worker.process_id()));
    for (std::string line; std::getline(limits, line);)
      if (line.starts_with("Max address space")) return line.substr(0, 40);
    return std::string{};
  };
  const auto unlimited = [&] {
    worker.device_info();
    return address_space();
  }();
  worker.restart();
  const auto fine = module_of("add.u32 %r3, %r1, %r1;");
  REQUIRE(worker.assemble(nvjitlink, fine, sm_90, 3).cubin);
  CHECK(address_space().find(std::to_string(most_assembler_bytes)) != std::string::npos);
  const auto huge = worker.assemble(nvjitlink, module_of(".reg .b32 %many<2000000000>;"), sm_90, 3);
  INFO(huge.log);
  CHECK_FALSE(huge.cubin);
  CHECK(huge.log.starts_with("the assembler failed: nvJitLink "));
  CHECK(huge.log.find("of which it may use 4 GiB") != std::string::npos);
  CHECK(worker.assemble(nvjitlink, fine, sm_90, 3).cubin);
  worker.device_info();
  CHECK(address_space() == unlimited);

  // Of several assemblers, only the one whose module takes all memory.
  const auto assemblers = make_worker_assemblers(test_options(), nvjitlink, 3);
  CHECK(assemblers[0]->assemble(fine, sm_90, 3).cubin);
  CHECK(assemblers[1]->assemble(module_of(".reg .b32 %many<2000000000>;"), sm_90, 3).log == huge.log);
  CHECK(assemblers[2]->assemble(fine, sm_90, 3).cubin);
  CHECK(assemblers[1]->assemble(fine, sm_90, 3).cubin);
}

TEST_CASE("an nvJitLink that cannot be opened is a missing tool") {
  const assemble::Toolchain absent{
      assemble::ToolchainKind::nvjitlink, "nvjitlink-0", "0", "/nonexistent/libnvJitLink.so", 9, 0};
  try {
    Worker(test_options()).assemble(absent, "", sm_90, 3);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::missing_tool);
  }
}
