// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <thread>

#include "base/error.h"
#include "catch.h"
#include "environment.h"
#include "wait_until.h"

using namespace ptxlat;
using namespace ptxlat::worker;
using namespace std::chrono_literals;

namespace {

// That every kernel but `lost` was measured, and measured right.
void check_readouts(const LaunchBatch& batch, const std::vector<ptx::LaunchOutcome>& outcomes, std::size_t lost) {
  REQUIRE(outcomes.size() == batch.kernels.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    INFO("kernel " << i << ": " << outcomes[i].message);
    if (i == lost) continue;
    REQUIRE(outcomes[i].status == ptx::LaunchStatus::ok);
    const ptx::Readout& readout = outcomes[i].readout;
    REQUIRE(readout.launches == static_cast<std::size_t>(batch.kernels[i].launches));
    CHECK(readout.threads_agree);
    for (std::size_t launch = 0; launch < readout.launches; ++launch) {
      CHECK(cycles_of(readout, launch) == 10 + i);
      CHECK(readout.word(launch, 0, 2) == 17);
    }
  }
}

constexpr std::size_t none = ~std::size_t{0};

}  // namespace

TEST_CASE("clocks are apart by the stall counts between them, also across the wrap of the clock") {
  Environment environment;
  Worker worker(test_options());
  const LaunchBatch batch = test_batch(20, 9);
  check_readouts(batch, worker.launch(batch), none);
}

TEST_CASE("a window waits for the scoreboards set in it") {
  Environment environment;
  Worker worker(test_options());
  LaunchBatch batch = test_batch(1);
  batch.kernels[0].kernel = "popc";
  batch.cubin = standin::tiny_cubin(
      {{"popc",
        {standin::read_clock(1), standin::op(0x309, 2, 0), standin::op(0x212, 2, 7, 1), standin::read_clock(1)}}});
  const auto outcomes = worker.launch(batch);
  REQUIRE(outcomes[0].readout.launches == 3);
  CHECK(cycles_of(outcomes[0].readout) == 1 + 14 + 2);
}

TEST_CASE("a fault costs only its own kernel, and no other kernel is launched twice") {
  Environment environment;
  const TemporaryFile log;
  environment.set("PTXLAT_STANDIN_LAUNCH_LOG", log.path());
  environment.set("PTXLAT_STANDIN_FAULT", "k3_");
  Worker worker(test_options());
  const LaunchBatch batch = test_batch(8, 1);
  const auto outcomes = worker.launch(batch);
  check_readouts(batch, outcomes, 3);
  CHECK(outcomes[3].status == ptx::LaunchStatus::fault);
  CHECK(outcomes[3].message == "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
  CHECK(outcomes[3].readout.words.empty());
  CHECK(log.lines().size() == 8);
}

TEST_CASE("a fault that may be a trap says so, and one with another cause does not") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_FAULT", "k1_");
  environment.set("PTXLAT_STANDIN_TRAP", "k3_");
  Worker worker(test_options());
  const auto outcomes = worker.launch(test_batch(5, 1));
  for (const std::size_t i : {1, 3}) CHECK(outcomes[i].status == ptx::LaunchStatus::fault);
  for (std::size_t i = 0; i < outcomes.size(); ++i) CHECK(outcomes[i].may_be_trap == (i == 3));
}

TEST_CASE("a batch that stops at a failure launches nothing after it") {
  Environment environment;
  const TemporaryFile log;
  environment.set("PTXLAT_STANDIN_LAUNCH_LOG", log.path());
  environment.set("PTXLAT_STANDIN_FAULT", "k3_");
  Worker worker(test_options());
  LaunchBatch batch = test_batch(8, 1);
  batch.stops_at_failure = true;
  const auto outcomes = worker.launch(batch);
  REQUIRE(outcomes.size() == 8);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    CHECK(outcomes[i].status == (i < 3 ? ptx::LaunchStatus::ok : ptx::LaunchStatus::fault));
  CHECK(outcomes[7].message == outcomes[3].message);
  CHECK(log.lines().size() == 4);
}

TEST_CASE("two modules that are launched in turn are loaded once, if their batches keep them") {
  Environment environment;
  const TemporaryFile log;
  environment.set("PTXLAT_STANDIN_LOAD_LOG", log.path());
  Worker worker(test_options());
  LaunchBatch batches[] = {test_batch(1, 1), test_batch(2, 1), test_batch(3, 1)};
  const auto launch = [&](std::size_t number) {
    check_readouts(batches[number], worker.launch(batches[number]), none);
    return log.lines();
  };
  using Lines = std::vector<std::string>;
  for (auto& batch : batches) batch.keeps_module = true;
  for (const std::size_t number : {0, 1, 0}) launch(number);
  CHECK(launch(1) == Lines{"1", "2"});
  INFO("the one that was launched last stays");
  launch(2);
  CHECK(launch(1) == Lines{"1", "2", "3"});
  CHECK(launch(0) == Lines{"1", "2", "3", "1"});
  batches[0].keeps_module = false;
  launch(0);
  CHECK(launch(0) == Lines{"1", "2", "3", "1", "1", "1"});
}

TEST_CASE("where faults are expected, a process that has started the driver waits to replace the one that faults") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_FAULT", "k3_");
  environment.set("PTXLAT_STANDIN_START_MS", "200");
  auto options = test_options();
  options.expects_faults = true;
  Worker worker(options);
  const LaunchBatch batch = test_batch(8, 1);
  worker.device_info();
  CHECK(worker.times().starting >= 0.2);
  const auto before = worker.times();
  // A third process would not be ready before this test is given up.
  environment.set("PTXLAT_STANDIN_START_MS", "10000000");
  check_readouts(batch, worker.launch(batch), 3);
  CHECK(worker.times().processes == before.processes + 1);
}

TEST_CASE("several faults cost their own kernels") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_FAULT", "_");
  Worker worker(test_options());
  for (const ptx::LaunchOutcome& outcome : worker.launch(test_batch(4)))
    CHECK(outcome.status == ptx::LaunchStatus::fault);
}

TEST_CASE("a kernel that never ends is killed at its deadline and does not affect others") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_HANG", "k2_");
  WorkerOptions options = test_options();
  options.kernel_deadline = 3s;  // for a moment's work of those that do end
  Worker worker(options);
  const LaunchBatch batch = test_batch(5);
  const auto outcomes = worker.launch(batch);
  check_readouts(batch, outcomes, 2);
  CHECK(outcomes[2].status == ptx::LaunchStatus::timeout);
  CHECK(outcomes[2].message == "the kernel did not finish within 3 s");
}

TEST_CASE("a worker killed from outside in mid-batch is replaced and nothing is lost") {
  Environment environment;
  const TemporaryFile log;
  environment.set("PTXLAT_STANDIN_LAUNCH_LOG", log.path());
  environment.set("PTXLAT_STANDIN_DELAY_MS", "200");
  Worker worker(test_options());
  worker.device_info();
  const pid_t first_process = worker.process_id();
  environment.set("PTXLAT_STANDIN_DELAY_MS", "0");  // of the next process: only the first is in mid-batch for long
  const LaunchBatch batch = test_batch(20);
  std::thread killer([&] {
    wait_until([&] { return log.lines().size() > 3; });
    kill(first_process, SIGKILL);
  });
  const auto outcomes = worker.launch(batch);
  killer.join();
  check_readouts(batch, outcomes, none);
  CHECK(worker.process_id() != first_process);
}

TEST_CASE("a worker killed while idle is replaced") {
  Environment environment;
  Worker worker(test_options());
  worker.device_info();
  kill(worker.process_id(), SIGKILL);
  const LaunchBatch batch = test_batch(2);
  check_readouts(batch, worker.launch(batch), none);
  INFO("also if it is only asked about the GPU");
  kill(worker.process_id(), SIGKILL);
  CHECK(worker.device_info().sm == 90);
}

TEST_CASE("a cubin that the driver rejects is a fault of its kernels, with the driver's words") {
  Environment environment;
  Worker worker(test_options());
  LaunchBatch batch = test_batch(2);
  batch.cubin.assign(64, 0);
  for (const ptx::LaunchOutcome& outcome : worker.launch(batch)) {
    CHECK(outcome.status == ptx::LaunchStatus::fault);
    CHECK(outcome.message.find("CUDA_ERROR_INVALID_IMAGE") == 0);
  }
}

TEST_CASE("a kernel that is not in the cubin, or never writes its clocks, does not affect others") {
  Environment environment;
  Worker worker(test_options());
  LaunchBatch batch = test_batch(1);
  batch.cubin = standin::tiny_cubin(
      {{"silent", {standin::read_clock(1)}}, {"k0_", {standin::read_clock(10), standin::read_clock(1)}}});
  batch.kernels = {batch.kernels[0], batch.kernels[0], batch.kernels[0]};
  batch.kernels[0].kernel = "absent";
  batch.kernels[1].kernel = "silent";
  const auto outcomes = worker.launch(batch);
  CHECK(outcomes[0].message.find("CUDA_ERROR_NOT_FOUND") == 0);
  CHECK(outcomes[1].message == "the kernel ended without writing its clocks");
  REQUIRE(outcomes[2].status == ptx::LaunchStatus::ok);
  CHECK(cycles_of(outcomes[2].readout) == 10);
}

TEST_CASE("restart gives a fresh process") {
  Environment environment;
  Worker worker(test_options());
  worker.device_info();
  const int before = worker.process_id();
  worker.restart();
  CHECK(worker.process_id() == 0);
  worker.device_info();
  CHECK(worker.process_id() != before);
}

TEST_CASE("sixteen threads run a worker each") {
  Environment environment;
  const LaunchBatch batch = test_batch(30);
  std::vector<std::vector<ptx::LaunchOutcome>> outcomes(16);
  std::vector<std::thread> threads;
  for (auto& own : outcomes) threads.emplace_back([&] { own = Worker(test_options()).launch(batch); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : outcomes) check_readouts(batch, own, none);
}
