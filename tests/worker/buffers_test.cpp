// SPDX-License-Identifier: Apache-2.0

// What a kernel finds in its buffers: what it left there, or their described contents.
#include "catch.h"
#include "environment.h"

using namespace ptxlat;
using namespace ptxlat::worker;

namespace {

// A worker whose kernels add 1 to the first word of their first buffer in each launch.
struct Counting {
  Environment environment;
  Worker worker{test_options()};

  Counting() { environment.set("PTXLAT_STANDIN_COUNT", "_"); }

  // What the stand-in driver does (standin/script.h).
  void tell(const std::string& script) {
    std::ofstream(script_.path()) << script;
    environment.set("PTXLAT_STANDIN_SCRIPT", script_.path());
  }

  // The first word after a kernel's launches.
  std::uint32_t count(const LaunchBatch& batch, std::size_t kernel = 0) {
    const auto outcome = worker.launch(batch).at(kernel);
    INFO(outcome.message);
    REQUIRE(outcome.status == ptx::LaunchStatus::ok);
    REQUIRE_FALSE(outcome.readout.buffers.empty());
    return outcome.readout.buffers.front();
  }

 private:
  TemporaryFile script_;
};

LaunchBatch batch_of(bool keeps_buffers, unsigned kernels = 1) {
  auto batch = test_batch(kernels, 3);
  for (auto& kernel : batch.kernels) {
    kernel.launch.buffers = {{64}, {8}};
    kernel.launch.buffers[0].read_words = 1;
    kernel.launch.keeps_buffers = keeps_buffers;
  }
  return batch;
}

}  // namespace

TEST_CASE("buffers are remade for each kernel and each batch, and the launches of one kernel share them") {
  Counting counting;
  const auto batch = batch_of(false, 2);
  CHECK(counting.count(batch) == 3);
  CHECK(counting.count(batch) == 3);
  CHECK(counting.count(batch, 1) == 3);
}

TEST_CASE("a kernel that keeps its buffers finds them in the next batch as it left them") {
  Counting counting;
  auto batch = batch_of(true);
  CHECK(counting.count(batch) == 3);
  CHECK(counting.count(batch) == 6);
  INFO("whatever is read of them");
  batch.kernels[0].launch.buffers[0].read_words = 2;
  batch.kernels[0].launch.buffers[1].read_words = 1;
  CHECK(counting.count(batch) == 9);
}

TEST_CASE("kept buffers are made again if anything about them, their kernel or its cubin changes") {
  Counting counting;
  CHECK(counting.count(batch_of(true)) == 3);
  SECTION("their description") {
    auto batch = batch_of(true);
    batch.kernels[0].launch.buffers[1].bytes = 16;
    CHECK(counting.count(batch) == 3);
  }
  SECTION("the cubin") { CHECK(counting.count(batch_of(true, 2)) == 3); }
  SECTION("a batch between them that keeps none") {
    CHECK(counting.count(batch_of(false)) == 3);
    CHECK(counting.count(batch_of(true)) == 3);
  }
  SECTION("the process") {
    counting.worker.restart();
    CHECK(counting.count(batch_of(true)) == 3);
  }
}

TEST_CASE("kept buffers are a kernel's own, also in one cubin") {
  Counting counting;
  const auto batch = batch_of(true, 2);
  CHECK(counting.count(batch, 1) == 3);
  auto second = batch;
  second.kernels.erase(second.kernels.begin());
  INFO("the last kernel of the batch before");
  CHECK(counting.count(second) == 6);
}

TEST_CASE("a kernel that keeps buffers and has none is not given those of the kernel before it") {
  const TemporaryFile log;
  Counting counting;
  counting.environment.set("PTXLAT_STANDIN_LAUNCH_SHAPES", log.path());
  auto batch = batch_of(false, 2);
  batch.kernels[1].launch.buffers.clear();
  batch.kernels[1].launch.keeps_buffers = true;
  counting.worker.launch(batch);
  CHECK_THAT(log.lines().front(), Catch::Matchers::Contains(" parameters dirty "));
  CHECK_THAT(log.lines().back(), Catch::Matchers::Contains(" parameters zero "));
}

TEST_CASE("buffers that do not fit cost only their own kernel, and the next gets its own") {
  Counting counting;
  auto batch = batch_of(true, 2);
  batch.kernels[0].launch.buffers[1].bytes = std::uint64_t{1} << 50;
  const auto outcomes = counting.worker.launch(batch);
  CHECK(outcomes[0].status == ptx::LaunchStatus::fault);
  CHECK_THAT(outcomes[0].message, Catch::Matchers::StartsWith("CUDA_ERROR_OUT_OF_MEMORY"));
  REQUIRE(outcomes[1].status == ptx::LaunchStatus::ok);
  CHECK(outcomes[1].readout.buffers == std::vector<std::uint32_t>{3});
}

TEST_CASE("a buffer begins at the requested alignment, which takes no memory") {
  Counting counting;
  // Little, because with ThreadSanitizer a MB takes 25 ms to fill, and a kernel has five seconds.
  counting.tell("device = [{memory = 33554432}]");
  auto batch = batch_of(false, 2);
  for (auto& kernel : batch.kernels) {
    auto& buffer = kernel.launch.buffers[0];
    buffer = {std::uint64_t{24} << 20, ptx::Buffer::Contents::self};
    buffer.read_words = 2;
    buffer.alignment = std::uint64_t{8} << 30;
  }
  for (const auto& outcome : counting.worker.launch(batch)) {
    REQUIRE(outcome.status == ptx::LaunchStatus::ok);
    // Each word holds its own address, and three launches have added to the first.
    const auto address = outcome.readout.buffers[0] - 3 + (std::uint64_t{outcome.readout.buffers[1]} << 32);
    CHECK(address % (std::uint64_t{8} << 30) == 0);
    CHECK(address != 0);
  }
}

TEST_CASE("a kernel without room runs again in a process that has launched no others") {
  Counting counting;
  counting.tell(R"(rule = [{kernel = "k1_", process = 0, out_of_memory = true}])");
  const auto outcomes = counting.worker.launch(batch_of(false, 3));
  for (const auto& outcome : outcomes) CHECK(outcome.status == ptx::LaunchStatus::ok);
  CHECK(outcomes.size() == 3);
}

TEST_CASE("of a texture the kernel gets the handle, and the places of a chase are indices of words") {
  const TemporaryFile log;
  Environment environment;
  environment.set("PTXLAT_STANDIN_LAUNCH_SHAPES", log.path());
  environment.set("PTXLAT_STANDIN_COUNT", "_");
  auto batch = test_batch(1, 1);
  auto& buffers = batch.kernels[0].launch.buffers;
  buffers = {{64, ptx::Buffer::Contents::ring, 16, 1, 16, true}};
  Worker worker(test_options());
  const auto outcome = worker.launch(batch).at(0);
  REQUIRE(outcome.status == ptx::LaunchStatus::ok);
  const auto& words = outcome.readout.buffers;
  REQUIRE(words.size() == 16);
  INFO("nothing was counted: a handle is not an address");
  CHECK(words[0] == 4);
  CHECK(words[4] == 8);
  CHECK(words[12] == 0);
  CHECK_THAT(log.lines().at(0), Catch::Matchers::Contains(" parameters dirty "));
}

TEST_CASE("a texture that the driver does not make is its own kernel's fault") {
  auto batch = test_batch(2, 1);
  batch.kernels[0].launch.buffers = {{64, ptx::Buffer::Contents::zeros, 0, 1, 0, true}};
  Environment environment;
  environment.set("PTXLAT_STANDIN_REFUSE", "TexObject");
  const auto outcomes = Worker(test_options()).launch(batch);
  CHECK_THAT(outcomes[0].message, Catch::Matchers::StartsWith("CUDA_ERROR_NOT_SUPPORTED"));
  CHECK(outcomes[1].status == ptx::LaunchStatus::ok);
}

TEST_CASE("of a tensor the kernel gets the address of its map, which it can reach, before the tensor's") {
  Counting counting;
  auto batch = test_batch(1, 1);
  auto& buffers = batch.kernels[0].launch.buffers;
  buffers = {{4096}};
  buffers[0].read_words = 1;
  CHECK(counting.count(batch) == 1);
  buffers[0].pitch = 1024;
  buffers[0].box_row = 128;
  buffers[0].box_rows = 4;
  INFO("the map is counted in and not the tensor");
  CHECK(counting.count(batch) == 0);
}

TEST_CASE("a tensor that makes no sense, or that the driver has no map for, is its own kernel's fault") {
  auto batch = test_batch(3, 1);
  for (std::size_t i = 0; i < 2; ++i)
    batch.kernels[i].launch.buffers = {{4096, ptx::Buffer::Contents::zeros, 0, 1, 0, false, 1024, 64, 4, 32}};
  batch.kernels[1].launch.buffers[0].swizzle = 64;
  Environment environment;
  environment.set("PTXLAT_STANDIN_REFUSE", "cuTensorMapEncodeTiled");
  const auto outcomes = Worker(test_options()).launch(batch);
  CHECK(outcomes[0].message == "a row of a tensor's box is longer than its swizzle");
  CHECK_THAT(outcomes[1].message, Catch::Matchers::StartsWith("CUDA_ERROR_NOT_SUPPORTED"));
  CHECK(outcomes[2].status == ptx::LaunchStatus::ok);
}
