// SPDX-License-Identifier: Apache-2.0

// The parameters of a launch, as the stand-in driver recorded them (shape_line in standin/libcuda.cpp).
#include "catch.h"
#include "environment.h"
#include "worker/protocol.h"

using namespace ptxlat;
using namespace ptxlat::worker;

namespace {

// The lines of the kernels' launches, and the outcomes that came back.
struct Shapes {
  explicit Shapes(const LaunchBatch& batch) {
    Environment environment;
    set_up(environment, batch);
  }
  Shapes(const LaunchBatch& batch, const std::string& variable, const std::string& value) {
    Environment environment;
    environment.set(variable, value);
    set_up(environment, batch);
  }
  std::vector<std::string> lines;
  std::vector<ptx::LaunchOutcome> outcomes;

 private:
  void set_up(Environment& environment, const LaunchBatch& batch) {
    const TemporaryFile log;
    environment.set("PTXLAT_STANDIN_LAUNCH_SHAPES", log.path());
    Worker worker(test_options());
    outcomes = worker.launch(batch);
    lines = log.lines();
  }
};

void set_threads(KernelLaunch& kernel, int threads, int ctas = 1) {
  kernel.launch.threads = threads;
  kernel.launch.ctas = ctas;
  kernel.launch.input.assign(static_cast<std::size_t>(threads * ctas) * ptx::operands_per_slot, 7);
}

}  // namespace

TEST_CASE("a kernel is launched with its threads, and with nothing that it did not ask for") {
  LaunchBatch batch = test_batch(3, 1);
  set_threads(batch.kernels[0], 1);
  set_threads(batch.kernels[2], 1024);
  const Shapes shapes(batch);
  REQUIRE(shapes.lines.size() == 3);
  CHECK(shapes.lines[0] == "k0_ ctas 1 lanes 1 shared 0 parameters zero memory none");
  CHECK(shapes.lines[1] == "k1_ ctas 1 lanes 32 shared 0 parameters zero memory none");
  CHECK(shapes.lines[2] == "k2_ ctas 1 lanes 1024 shared 0 parameters zero memory none");
  for (std::size_t i = 0; i < 3; ++i) {
    const ptx::Readout& readout = shapes.outcomes[i].readout;
    REQUIRE(readout.launches == 1);
    CHECK(cycles_of(readout) == 10 + i);
    CHECK(readout.word(0, 0, 3) == static_cast<std::uint32_t>(batch.kernels[i].launch.threads));
  }
}

TEST_CASE("only the first of several CTAs is read unless a launch asks for more") {
  LaunchBatch batch = test_batch(2, 3);
  set_threads(batch.kernels[0], 128, 4);
  const Shapes shapes(batch);
  REQUIRE(shapes.lines.size() == 6);
  CHECK(shapes.lines[0] == "k0_ ctas 4 lanes 128 shared 0 parameters zero memory none");
  for (std::size_t i = 0; i < 2; ++i) {
    const ptx::Readout& readout = shapes.outcomes[i].readout;
    for (std::size_t launch = 0; launch < 3; ++launch)
      CHECK(cycles_of(readout, launch) == 10 + i);  // 11 + i in the stand-in's other CTAs
    CHECK(readout.threads_agree);
  }
}

TEST_CASE("a launch arrives as it was sent") {
  LaunchBatch batch = test_batch(2, 3);
  ptx::Launch& launch = batch.kernels[1].launch;
  launch = {64, 2,         4096, 50,     true, 16, 8,      true, true, 2048, true, ptx::Succession::graph,
            1,  {1, 2, 3}, {},   {7, 8}, 2,    32, {0, 15}};
  batch.keeps_module = true;
  launch.buffers = {{4096, ptx::Buffer::Contents::permutation, 128, 9, 4, true},
                    {8, ptx::Buffer::Contents::zeros, 0, 1, 0, false, 1024, 64, 32, 128}};
  const Bytes sent = frame(Kind::launch, batch);
  const Message received(Bytes(sent.begin() + sizeof(std::uint32_t), sent.end()));
  REQUIRE(received.kind() == Kind::launch);
  const auto arrived = received.as<LaunchBatch>();
  CHECK(arrived.cubin == batch.cubin);
  CHECK(arrived.keeps_module);
  REQUIRE(arrived.kernels.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(arrived.kernels[i].kernel == batch.kernels[i].kernel);
    CHECK(arrived.kernels[i].launches == 3);
    CHECK(arrived.kernels[i].launch == batch.kernels[i].launch);
  }
}

TEST_CASE("dynamic shared memory beyond 48 KiB is allowed to a kernel before its launch") {
  LaunchBatch batch = test_batch(2, 1);
  batch.kernels[0].launch.dynamic_shared = 200 * 1024;
  const Shapes shapes(batch);
  REQUIRE(shapes.outcomes[0].status == ptx::LaunchStatus::ok);
  CHECK(shapes.lines[0] == "k0_ ctas 1 lanes 32 shared 204800 parameters zero memory none");
}

TEST_CASE("a preference for shared memory is passed to the driver, and a rejected one costs only its own kernel") {
  LaunchBatch batch = test_batch(3, 1);
  batch.kernels[0].launch.carve_out = 50;
  batch.kernels[1].launch.carve_out = 101;
  const Shapes shapes(batch);
  CHECK(shapes.outcomes[0].status == ptx::LaunchStatus::ok);
  CHECK(shapes.outcomes[1].status == ptx::LaunchStatus::fault);
  CHECK(shapes.outcomes[1].message.find("CUDA_ERROR_INVALID_VALUE") == 0);
  CHECK(shapes.outcomes[2].status == ptx::LaunchStatus::ok);
}

TEST_CASE("bank width and large clusters are passed to the driver for the kernels that request them") {
  LaunchBatch batch = test_batch(3, 1);
  batch.kernels[1].launch.bank_bytes = 8;
  batch.kernels[2].launch.bank_bytes = 4;
  batch.kernels[2].launch.large_cluster = true;
  const Shapes shapes(batch);
  REQUIRE(shapes.lines.size() == 3);
  CHECK(shapes.lines[0] == "k0_ ctas 1 lanes 32 shared 0 parameters zero memory none");
  CHECK(shapes.lines[1] == "k1_ ctas 1 lanes 32 shared 0 parameters zero banks 8 memory none");
  CHECK(shapes.lines[2] == "k2_ ctas 1 lanes 32 shared 0 parameters zero banks 4 large clusters memory none");
}

TEST_CASE("a window of persisting lines exists for the launches of its own kernel, and is undone after them") {
  LaunchBatch batch = test_batch(3, 2);
  batch.kernels[1].launch.buffers = {{4096}, {64}};
  batch.kernels[1].launch.persisting_bytes = 1024;
  const Shapes shapes(batch);
  REQUIRE(shapes.lines.size() == 6);
  CHECK(shapes.lines[1] == "k0_ ctas 1 lanes 32 shared 0 parameters zero memory none");
  for (const std::size_t launch : {2, 3})
    CHECK(shapes.lines[launch] ==
          "k1_ ctas 1 lanes 32 shared 0 parameters dirty window 1024 on buffer limit 1024 memory none");
  CHECK(shapes.lines[4] == "k2_ ctas 1 lanes 32 shared 0 parameters zero memory none");
}

TEST_CASE("the second-level cache is filled before each launch of the kernels that request it, and of no others") {
  LaunchBatch batch = test_batch(3, 2);
  batch.kernels[1].launch.evicts_l2 = true;
  batch.kernels[1].launch.uses_memory = true;
  const Shapes shapes(batch);
  REQUIRE(shapes.lines.size() == 6);
  const std::string plain = " ctas 1 lanes 32 shared 0 parameters zero";
  CHECK(shapes.lines[1] == "k0_" + plain + " memory none");
  INFO("the last thing that is done before a launch: its memory is clean, and in no cache");
  for (const std::size_t launch : {2, 3})
    CHECK(shapes.lines[launch].starts_with("k1_" + plain + " after a fill of L2 memory clean"));
  CHECK(shapes.lines[4] == "k2_" + plain + " memory none");
}

TEST_CASE("lines that a kernel marked to be evicted last do not stay when their buffer goes") {
  LaunchBatch batch = test_batch(2, 2);
  for (auto& kernel : batch.kernels) kernel.launch.buffers = {{4096}};
  const Shapes shapes(batch, "PTXLAT_STANDIN_EVICT_LAST", "k0_");
  REQUIRE(shapes.lines.size() == 4);
  INFO("they do from one launch to the next");
  CHECK(shapes.lines[1] == "k0_ ctas 1 lanes 32 shared 0 parameters dirty persisting lines memory none");
  CHECK(shapes.lines[2] == "k1_ ctas 1 lanes 32 shared 0 parameters dirty memory none");
}

TEST_CASE("a window is undone even if its kernel is not launched, and a limit even if there is no window") {
  LaunchBatch batch = test_batch(4, 1);
  for (std::size_t i = 0; i < 3; ++i) {
    batch.kernels[i].launch.buffers = {{4096}};
    batch.kernels[i].launch.persisting_bytes = 4096;
  }
  batch.kernels[0].launch.dynamic_shared = 1 << 20;
  set_threads(batch.kernels[1], 1056);
  batch.kernels[2].launch.buffers = {{64}};
  const std::string plain = "k3_ ctas 1 lanes 32 shared 0 parameters zero memory none";
  SECTION("of a launch that cannot be made") {
    const Shapes shapes(batch);
    for (std::size_t i = 0; i < 2; ++i) CHECK(shapes.outcomes[i].message.find("CUDA_ERROR_INVALID_VALUE") == 0);
    CHECK(shapes.outcomes[2].message == "more bytes are persisting than the first buffer has");
    CHECK(shapes.lines == std::vector{plain});
  }
  SECTION("of a driver that rejects either") {
    const std::string function = GENERATE("cuCtxSetLimit", "cuStreamSetAttribute");
    const Shapes shapes(batch, "PTXLAT_STANDIN_REFUSE", function);
    for (std::size_t i = 0; i < 2; ++i) CHECK(shapes.outcomes[i].message.find("CUDA_ERROR_NOT_SUPPORTED") == 0);
    CHECK(shapes.lines == std::vector{plain});
  }
  SECTION("of a driver that knows neither") {
    const Shapes shapes(batch, "PTXLAT_LIBCUDA", PTXLAT_TEST_OLD_LIBCUDA);
    for (std::size_t i = 0; i < 2; ++i) CHECK(shapes.outcomes[i].message.find("CUDA_ERROR_NOT_SUPPORTED") == 0);
    CHECK(shapes.lines == std::vector{plain});
  }
}

TEST_CASE("a launch that the device cannot make is its own kernel's fault, with the driver's words") {
  LaunchBatch batch = test_batch(3, 1);
  batch.kernels[0].launch.dynamic_shared = 1 << 20;
  set_threads(batch.kernels[1], 1056);
  const Shapes shapes(batch);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(shapes.outcomes[i].status == ptx::LaunchStatus::fault);
    CHECK(shapes.outcomes[i].message.find("CUDA_ERROR_INVALID_VALUE") == 0);
  }
  CHECK(shapes.outcomes[2].status == ptx::LaunchStatus::ok);
}

TEST_CASE("each kernel that uses memory finds it as new, whatever the one before it wrote") {
  constexpr int launches = 3;
  LaunchBatch batch = test_batch(3, launches);
  batch.kernels[0].launch.uses_memory = batch.kernels[2].launch.uses_memory = true;
  const Shapes shapes(batch);
  REQUIRE(shapes.lines.size() == 3 * launches);
  const std::string as_new = " ctas 1 lanes 32 shared 0 parameters zero memory clean tex_2d 2 tensormap_2d yes";
  CHECK(shapes.lines[0] == "k0_" + as_new);
  CHECK(shapes.lines[launches] == "k1_ ctas 1 lanes 32 shared 0 parameters zero memory none");
  CHECK(shapes.lines[2 * launches] == "k2_" + as_new);
  // Each launch has its own line.
  for (const auto& line : shapes.lines) CHECK(line.find("dirty") == std::string::npos);
}

TEST_CASE("launches of a kernel that uses memory take turns on SMs that are spread over the GPU") {
  LaunchBatch batch = test_batch(2, 5);
  batch.kernels[0].launch.uses_memory = true;
  batch.kernels[0].launch.places = 4;
  batch.kernels[1].launch.places = 4;
  const Shapes shapes(batch);
  CHECK(shapes.outcomes[0].readout.launches == 5);
  const auto places = std::vector<int>{0, 33, 66, 99, 0};
  for (std::size_t launch = 0; launch < places.size(); ++launch) {
    const auto begin =
        fmt::format("k0_ ctas 132 lanes 32 shared 0 parameters zero place {} memory clean", places[launch]);
    CHECK_THAT(shapes.lines[launch], Catch::Matchers::StartsWith(begin));
  }
  CHECK(shapes.outcomes[1].message == "only kernels that use memory can be put on an SM");
}

TEST_CASE("the objects of a process are made once") {
  Environment environment;
  const TemporaryFile log;
  environment.set("PTXLAT_STANDIN_LAUNCH_SHAPES", log.path());
  Worker worker(test_options());
  LaunchBatch batch = test_batch(1, 3);
  batch.kernels[0].launch.uses_memory = true;
  for (int request = 0; request < 2; ++request) worker.launch(batch);
  REQUIRE(log.lines().size() == 6);
  CHECK(log.lines().front() == log.lines().back());  // a new texture would have a different handle
}

TEST_CASE("an old driver measures what needs none of the objects") {
  LaunchBatch batch = test_batch(1, 1);
  batch.kernels[0].launch.uses_memory = true;
  const Shapes shapes(batch, "PTXLAT_LIBCUDA", PTXLAT_TEST_OLD_LIBCUDA);
  CHECK(shapes.outcomes[0].status == ptx::LaunchStatus::ok);
  CHECK(shapes.lines[0] == "k0_ ctas 1 lanes 32 shared 0 parameters zero memory clean tex_2d 0 tensormap_2d no");
}

TEST_CASE("a fault of a kernel that uses memory names the objects that the driver did not make") {
  LaunchBatch batch = test_batch(2, 1);
  batch.kernels[0].launch.uses_memory = true;
  Environment environment;
  environment.set("PTXLAT_STANDIN_FAULT", "_");
  const Shapes shapes(batch, "PTXLAT_STANDIN_REFUSE", "SurfObject");
  CHECK(shapes.outcomes[0].message ==
        "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered; the driver did not make surf_1d, "
        "surf_2d, surf_3d, surf_a1d, surf_a2d (CUDA_ERROR_NOT_SUPPORTED: the stand-in's own words)");
  CHECK(shapes.outcomes[1].message == "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
}
