// SPDX-License-Identifier: Apache-2.0

// How launches of a kernel follow each other.
#include "catch.h"
#include "environment.h"
#include "worker/protocol.h"

using namespace ptxlat;
using namespace ptxlat::worker;

namespace {

struct Launched {
  std::vector<std::string> lines;
  std::vector<ptx::LaunchOutcome> outcomes;
};
Launched launch(ptx::Succession succession, const std::string& variable = "", const std::string& value = "") {
  auto batch = test_batch(2, 3);
  batch.kernels[0].launch.succession = succession;
  batch.kernels[0].launch.parameters = {5};
  Environment environment;
  const TemporaryFile log;
  environment.set("PTXLAT_STANDIN_LAUNCH_SHAPES", log.path());
  if (!variable.empty()) environment.set(variable, value);
  Worker worker(test_options());
  Launched launched;
  launched.outcomes = worker.launch(batch);
  launched.lines = log.lines();
  return launched;
}

}  // namespace

TEST_CASE("launches in a graph or one by one give what launches in a stream give") {
  const auto usual = launch(ptx::Succession::stream);
  for (const auto succession : {ptx::Succession::graph, ptx::Succession::synchronised}) {
    const auto launched = launch(succession);
    REQUIRE(launched.outcomes.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(launched.outcomes[i].status == ptx::LaunchStatus::ok);
      CHECK(launched.outcomes[i].readout.words == usual.outcomes[i].readout.words);
    }
    REQUIRE(launched.lines.size() == 6);
    const bool is_graph = succession == ptx::Succession::graph;
    for (std::size_t i = 0; i < 6; ++i)
      CHECK((launched.lines[i].find("in a graph") != std::string::npos) == (is_graph && i < 3));
    CHECK(launched.lines[2].find("parameters dirty") != std::string::npos);
  }
}

TEST_CASE("a graph that the driver does not make is its own kernel's fault") {
  for (const char* function : {"cuStreamBeginCapture", "cuGraphInstantiate"}) {
    const auto launched = launch(ptx::Succession::graph, "PTXLAT_STANDIN_REFUSE", function);
    CHECK(launched.outcomes[0].status == ptx::LaunchStatus::fault);
    CHECK(launched.outcomes[0].message.find("CUDA_ERROR_NOT_SUPPORTED") == 0);
    CHECK(launched.outcomes[1].status == ptx::LaunchStatus::ok);
  }
  const auto old = launch(ptx::Succession::graph, "PTXLAT_LIBCUDA", PTXLAT_TEST_OLD_LIBCUDA);
  CHECK(old.outcomes[0].message.find("CUDA_ERROR_NOT_SUPPORTED") == 0);
  CHECK(old.outcomes[1].status == ptx::LaunchStatus::ok);
}
