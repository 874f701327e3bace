// SPDX-License-Identifier: Apache-2.0
#include "worker/protocol.h"

#include "base/error.h"
#include "catch.h"
#include "environment.h"
#include "worker/process.h"

using namespace ptxlat;
using namespace ptxlat::worker;
using namespace std::chrono_literals;

namespace {

constexpr auto no_hang = 10min;

// A frame with its payload cut to this many bytes.
Bytes cut_short(const Bytes& whole, std::size_t payload) {
  Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(sizeof(std::uint32_t) + payload));
  const auto length = static_cast<std::uint32_t>(payload);
  std::memcpy(cut.data(), &length, sizeof length);
  return cut;
}

}  // namespace

TEST_CASE("a message that is truncated anywhere is an exception, and so is an empty one") {
  LaunchBatch batch = test_batch(2);
  batch.cubin.resize(100);
  batch.kernels[1].launch.buffers = {{4096, ptx::Buffer::Contents::ring, 8, 1, 2}};
  const Bytes whole = frame(Kind::launch, batch);
  const Bytes payload(whole.begin() + sizeof(std::uint32_t), whole.end());
  CHECK_NOTHROW(Message(payload).as<LaunchBatch>());
  for (std::size_t size = 1; size < payload.size(); ++size) {
    const Message message(Bytes(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size)));
    bool is_noticed = false;
    try {
      message.as<LaunchBatch>();
    } catch (const std::exception&) {
      is_noticed = true;
    }
    if (!is_noticed) FAIL("nothing was said of a message of " << size << " bytes");
  }
  CHECK_THROWS_AS(Message(Bytes{}), std::runtime_error);
}

TEST_CASE("a worker that receives a truncated message says so, and serves the next one") {
  Environment environment;
  WorkerProcess process(PTXLAT_TEST_WORKER);
  process.send(frame(Kind::open, 0), no_hang);
  REQUIRE(process.receive(no_hang));
  const Bytes whole = frame(Kind::launch, test_batch(2));
  for (const std::size_t payload : {std::size_t{0}, std::size_t{1}, whole.size() / 2}) {
    INFO("a payload of " << payload << " bytes");
    process.send(cut_short(whole, payload), no_hang);
    try {
      process.receive(no_hang);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.exit_code == ExitCode::failure);
      CHECK_THAT(error.what(), Catch::Matchers::Contains("in a worker: "));
    }
  }
  process.send(frame(Kind::info, 0), no_hang);
  const auto reply = process.receive(no_hang);
  REQUIRE(reply);
  CHECK(reply->as<gpu::DeviceInfo>().name == "Stand-in H200");
}
