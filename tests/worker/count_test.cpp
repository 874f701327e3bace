// SPDX-License-Identifier: Apache-2.0

// Hardware counters through a worker process, with the stand-in's libcupti (standin/cupti.cpp).
#include "catch.h"
#include "environment.h"

using namespace ptxlat;
using namespace ptxlat::worker;

namespace {

constexpr const char* library = PTXLAT_TEST_LIBCUDA;

constexpr unsigned add = 0x210, multiply_add = 0x223, nothing = 0x918;

LaunchBatch one_kernel(const std::vector<unsigned>& opcodes, const std::string& name = "k0") {
  auto batch = test_batch(1, 1);
  batch.kernels.front().kernel = name;
  standin::Code code{standin::read_clock(10)};
  for (const unsigned opcode : opcodes) code.push_back(standin::op(opcode, 1));
  code.push_back(standin::read_clock(1));
  batch.cubin = standin::tiny_cubin({{batch.kernels.front().kernel, code}});
  return batch;
}

CountOutcome count(Worker& worker, const LaunchBatch& batch) { return worker.count({batch}).front(); }

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
  const auto first = count(worker, one_kernel({add, add, multiply_add}));
  REQUIRE(first.launch.status == ptx::LaunchStatus::ok);
  CHECK(first.counts.on_pipes == std::vector<double>{32, 8, 8, 0, 0, 0});
  const auto second = count(worker, one_kernel({nothing, nothing, multiply_add}));
  CHECK(second.counts.executed == first.counts.executed);
  CHECK(second.counts.on_pipes == std::vector<double>{0, 8, 8, 0, 0, 0});
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
  options.kernel_deadline = std::chrono::seconds(3);  // for a moment's work of those that do not hang
  Worker worker(options);
  worker.open_counters(library);
  worker.restart();
  environment.set("PTXLAT_STANDIN_CUPTI", "crash");
  const auto crashed = count(worker, one_kernel({}));
  CHECK(crashed.launch.status == ptx::LaunchStatus::fault);
  CHECK(crashed.launch.message.find("counting the kernel died of signal 6") == 0);
  environment.set("PTXLAT_STANDIN_CUPTI", "hang");
  CHECK(count(worker, one_kernel({})).launch.status == ptx::LaunchStatus::timeout);
  environment.set("PTXLAT_STANDIN_CUPTI", "");
  CHECK(count(worker, one_kernel({})).launch.status == ptx::LaunchStatus::ok);
}

TEST_CASE("kernels that are counted together each get their own counts, however many they are") {
  const Environment environment;
  Worker worker(test_options());
  worker.open_counters(library);
  std::vector<LaunchBatch> batches;
  for (std::size_t i = 0; i < 70; ++i) batches.push_back(one_kernel(std::vector(i % 7, add)));
  const auto outcomes = worker.count(batches);
  REQUIRE(outcomes.size() == batches.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    INFO(i);
    REQUIRE(outcomes[i].launch.status == ptx::LaunchStatus::ok);
    CHECK(outcomes[i].counts.on_pipes.at(0) == 16.0 * static_cast<double>(i % 7));
  }
}

TEST_CASE("a kernel that fails while it is counted costs only its own counts") {
  Environment environment;
  std::vector batches{one_kernel({add}), one_kernel({add}, "bad"), one_kernel({multiply_add})};
  SECTION("it faults, which ends the process") { environment.set("PTXLAT_STANDIN_FAULT", "bad"); }
  SECTION("it cannot be launched") { batches[1].kernels.front().launch.output_ctas = 2; }
  Worker worker(test_options());
  worker.open_counters(library);
  const auto outcomes = worker.count(batches);
  REQUIRE(outcomes.size() == 3);
  CHECK(outcomes[0].counts.on_pipes == std::vector<double>{16, 0, 0, 0, 0, 0});
  CHECK(outcomes[1].launch.status == ptx::LaunchStatus::fault);
  CHECK(outcomes[1].counts.on_pipes.empty());
  CHECK(outcomes[2].counts.on_pipes == std::vector<double>{0, 8, 8, 0, 0, 0});
}

TEST_CASE("kernels are counted one at a time if their common session ends the process") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_CUPTI", "crash_when_several");
  Worker worker(test_options());
  worker.open_counters(library);
  for (const auto& outcome : worker.count({one_kernel({add}), one_kernel({add, add}), one_kernel({})})) {
    CHECK(outcome.launch.status == ptx::LaunchStatus::ok);
    CHECK(outcome.counts.executed > 0);
  }
}
