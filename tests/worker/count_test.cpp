// SPDX-License-Identifier: Apache-2.0

// Hardware counters through a worker process, with the stand-in's libcupti (standin/cupti.cpp).
#include "catch.h"
#include "environment.h"

using namespace ptxlat;
using namespace ptxlat::worker;

namespace {

constexpr const char* library = PTXLAT_TEST_LIBCUDA;

worker::LaunchBatch one_kernel(const std::vector<unsigned>& opcodes) {
  auto batch = test_batch(1, 1);
  standin::Code code{standin::read_clock(10)};
  for (const unsigned opcode : opcodes) code.push_back(standin::op(opcode, 1));
  code.push_back(standin::read_clock(1));
  batch.cubin = standin::tiny_cubin({{batch.kernels.front().kernel, code}});
  return batch;
}

std::string why_not(Worker& worker, const std::string& path = library) {
  try {
    worker.open_counters(path);
  } catch (const counters::Unavailable& error) {
    return std::string(error.what()) + '\n' + error.advice;
  }
  return {};
}

}  // namespace

TEST_CASE("counters are of the chip's own pipes, and count what each kernel executes") {
  const Environment environment;
  Worker worker(test_options());
  const auto offer = worker.open_counters(library);
  CHECK(offer.library == library);
  CHECK(offer.pipes == std::vector<std::string>{"able", "bakerheavy", "bakerlite", "charlie", "dog", "easy"});
  constexpr unsigned iadd3 = 0x210, ffma = 0x223, nop = 0x918;
  const auto first = worker.count(one_kernel({iadd3, iadd3, ffma}));
  REQUIRE(first.launch.status == kernel::LaunchStatus::ok);
  CHECK(first.counts.on_pipes == std::vector<double>{64, 16, 16, 0, 0, 0});
  const auto second = worker.count(one_kernel({nop, nop, ffma}));
  CHECK(second.counts.executed == first.counts.executed);
  CHECK(second.counts.on_pipes == std::vector<double>{0, 16, 16, 0, 0, 0});
}

TEST_CASE("a library that is missing or old, a device without counters and a forbidden one each say so") {
  Environment environment;
  Worker worker(test_options());
  CHECK(why_not(worker, "/nonexistent/libcupti.so.13").find("it cannot be opened") == 0);
  const auto old = why_not(worker, PTXLAT_TEST_OLD_LIBCUDA);
  CHECK(old.find("it is too old: it has no cuptiGetVersion") == 0);
  CHECK(old.find("tools/toolkits.sh cupti") != std::string::npos);
  environment.set("PTXLAT_STANDIN_CUPTI", "unsupported");
  CHECK(why_not(worker) == "CUPTI does not support profiling on this device: a virtual GPU\n");
  environment.set("PTXLAT_STANDIN_CUPTI", "forbidden");
  CHECK(why_not(worker).find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
  environment.set("PTXLAT_STANDIN_CUPTI", "crash_at_start");
  CHECK(why_not(worker).find("the process that opens it died of signal 6") == 0);
  environment.set("PTXLAT_STANDIN_CUPTI", "");
  CHECK(why_not(worker).empty());
}

TEST_CASE("a crash or a hang while counting is the kernel's, and the next one is counted in a new process") {
  Environment environment;
  auto options = test_options();
  options.kernel_deadline = std::chrono::milliseconds(500);
  Worker worker(options);
  worker.open_counters(library);
  worker.restart();
  environment.set("PTXLAT_STANDIN_CUPTI", "crash");
  const auto crashed = worker.count(one_kernel({}));
  CHECK(crashed.launch.status == kernel::LaunchStatus::fault);
  CHECK(crashed.launch.message.find("counting the kernel died of signal 6") == 0);
  environment.set("PTXLAT_STANDIN_CUPTI", "hang");
  CHECK(worker.count(one_kernel({})).launch.status == kernel::LaunchStatus::timeout);
  environment.set("PTXLAT_STANDIN_CUPTI", "");
  CHECK(worker.count(one_kernel({})).launch.status == kernel::LaunchStatus::ok);
}

TEST_CASE("a kernel that faults while it is counted ends its process and nothing else") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_FAULT", "k0");
  Worker worker(test_options());
  worker.open_counters(library);
  const auto faulted = worker.count(test_batch(1, 1));
  CHECK(faulted.launch.status == kernel::LaunchStatus::fault);
  CHECK(faulted.counts.on_pipes.empty());
}
