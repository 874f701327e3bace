// What a launch is asked with, as the stand-in driver wrote it down (shape_line in standin/libcuda.cpp).
#include "catch.h"
#include "environment.h"
#include "measure/worker_protocol.h"

using namespace ptxlat;

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
  std::vector<LaunchOutcome> outcomes;

 private:
  void set_up(Environment& environment, const LaunchBatch& batch) {
    const TemporaryFile log;
    environment.set("PTXLAT_STANDIN_LAUNCH_SHAPES", log.path());
    Worker worker(test_options());
    outcomes = worker.launch(batch);
    lines = log.lines();
  }
};

void set_lanes(KernelLaunch& kernel, int lanes, int cluster = 1) {
  kernel.lanes = lanes;
  kernel.cluster = cluster;
  kernel.input.assign(static_cast<std::size_t>(lanes * cluster) * operands_per_slot, 7);
}

}  // namespace

TEST_CASE("a kernel is launched with its lanes, and with nothing that it did not ask for") {
  LaunchBatch batch = test_batch(3, 1);
  set_lanes(batch.kernels[0], 1);
  set_lanes(batch.kernels[2], 1024);
  const Shapes shapes(batch);
  REQUIRE(shapes.lines.size() == 3);
  CHECK(shapes.lines[0] == "k0_ ctas 1 lanes 1 shared 0 parameters zero memory none");
  CHECK(shapes.lines[1] == "k1_ ctas 1 lanes 32 shared 0 parameters zero memory none");
  CHECK(shapes.lines[2] == "k2_ ctas 1 lanes 1024 shared 0 parameters zero memory none");
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(shapes.outcomes[i].samples.size() == 1);
    CHECK(shapes.outcomes[i].samples[0].elapsed_cycles == 10 + i);
    CHECK(shapes.outcomes[i].samples[0].result == static_cast<std::uint64_t>(batch.kernels[i].lanes));
  }
}

TEST_CASE("of a cluster's CTAs the first is read") {
  LaunchBatch batch = test_batch(2, 3);
  set_lanes(batch.kernels[0], 128, 4);
  const Shapes shapes(batch);
  REQUIRE(shapes.lines.size() == 6);
  CHECK(shapes.lines[0] == "k0_ ctas 4 lanes 128 shared 0 parameters zero memory none");
  for (std::size_t i = 0; i < 2; ++i)
    for (const Sample& sample : shapes.outcomes[i].samples) {
      CHECK(sample.elapsed_cycles == 10 + i);  // 11 + i in the stand-in's other CTAs
      CHECK(sample.lanes_agree);
    }
}

TEST_CASE("a launch arrives as it was sent, with the input of every CTA, and kernels share equal inputs") {
  LaunchBatch batch = test_batch(3, 1);
  set_lanes(batch.kernels[1], 32, 2);
  batch.kernels[1].dynamic_shared = 4096;
  batch.kernels[1].uses_memory = true;
  const Bytes frame = worker::encode_launch(batch, 0);
  worker::Reader reader(Bytes(frame.begin() + sizeof(std::uint32_t), frame.end()));
  const worker::LaunchRequest request = worker::decode_launch(reader);
  const std::size_t cta_bytes = 32 * slot_bytes;
  CHECK(request.inputs.size() == 3 * cta_bytes);
  CHECK(request.kernels[0].input_offset == 0);
  CHECK(request.kernels[1].input_offset == cta_bytes);
  CHECK(request.kernels[2].input_offset == 0);
  CHECK(request.kernels[1].slots() == 64);
  CHECK(request.kernels[1].dynamic_shared == 4096);
  CHECK(request.kernels[1].uses_memory);
}

TEST_CASE("dynamic shared memory beyond 48 KiB is allowed to a kernel before its launch") {
  LaunchBatch batch = test_batch(2, 1);
  batch.kernels[0].dynamic_shared = 200 * 1024;
  const Shapes shapes(batch);
  REQUIRE(shapes.outcomes[0].status == LaunchStatus::ok);
  CHECK(shapes.lines[0] == "k0_ ctas 1 lanes 32 shared 204800 parameters zero memory none");
}

TEST_CASE("a launch that the device cannot make is its own kernel's fault, with the driver's words") {
  LaunchBatch batch = test_batch(3, 1);
  batch.kernels[0].dynamic_shared = 1 << 20;
  set_lanes(batch.kernels[1], 1056);
  const Shapes shapes(batch);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(shapes.outcomes[i].status == LaunchStatus::fault);
    CHECK(shapes.outcomes[i].message.find("CUDA_ERROR_INVALID_VALUE") == 0);
  }
  CHECK(shapes.outcomes[2].status == LaunchStatus::ok);
}

TEST_CASE("each kernel that uses memory finds it as new, whatever the one before it wrote") {
  LaunchBatch batch = test_batch(3, 1);
  batch.kernels[0].uses_memory = batch.kernels[2].uses_memory = true;
  const Shapes shapes(batch);
  REQUIRE(shapes.lines.size() == 2 * memory_launches + 1);
  // Each launch has a region of its own, with the same objects in front.
  for (int launch = 0; launch < memory_launches; ++launch) {
    CHECK(shapes.lines[static_cast<std::size_t>(launch)] ==
          "k0_ ctas 1 lanes 32 shared 0 parameters zero memory clean tex_2d 2 tensormap_2d yes");
  }
  CHECK(shapes.lines[memory_launches] == "k1_ ctas 1 lanes 32 shared 0 parameters zero memory none");
  CHECK(shapes.lines.back() == "k2_ ctas 1 lanes 32 shared 0 parameters zero memory clean tex_2d 2 tensormap_2d yes");
}

TEST_CASE("the objects of a process are made once") {
  Environment environment;
  const TemporaryFile log;
  environment.set("PTXLAT_STANDIN_LAUNCH_SHAPES", log.path());
  Worker worker(test_options());
  LaunchBatch batch = test_batch(1, 1);
  batch.kernels[0].uses_memory = true;
  for (int request = 0; request < 2; ++request) worker.launch(batch);
  REQUIRE(log.lines().size() == 2 * memory_launches);
  CHECK(log.lines().front() == log.lines().back());  // a texture made anew would have another handle
}

TEST_CASE("an old driver measures what needs none of the objects") {
  LaunchBatch batch = test_batch(1, 1);
  batch.kernels[0].uses_memory = true;
  const Shapes shapes(batch, "PTXLAT_LIBCUDA", PTXLAT_TEST_OLD_LIBCUDA);
  CHECK(shapes.outcomes[0].status == LaunchStatus::ok);
  CHECK(shapes.lines[0] == "k0_ ctas 1 lanes 32 shared 0 parameters zero memory clean tex_2d 0 tensormap_2d no");
}

TEST_CASE("a fault of a kernel that uses memory names the objects that the driver did not make") {
  LaunchBatch batch = test_batch(2, 1);
  batch.kernels[0].uses_memory = true;
  Environment environment;
  environment.set("PTXLAT_STANDIN_FAULT", "_");
  const Shapes shapes(batch, "PTXLAT_STANDIN_REFUSE", "SurfObject");
  CHECK(shapes.outcomes[0].message ==
        "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered; the driver did not make surf_1d, "
        "surf_2d, surf_3d, surf_a1d, surf_a2d (CUDA_ERROR_NOT_SUPPORTED: the stand-in's own words)");
  CHECK(shapes.outcomes[1].message == "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
}
