// SPDX-License-Identifier: Apache-2.0

// NVML's answers, through a worker process, with the stand-in's NVML (standin/nvml.cpp).
#include "worker/condition.h"

#include "catch.h"
#include "environment.h"
#include "nvml/nvml_api.h"

using namespace ptxlat;
using namespace std::chrono_literals;

namespace {

const std::string uuid = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f";

nvml::Condition condition(Environment& environment, const std::string& words,
                          worker::WorkerOptions options = test_options()) {
  environment.set("PTXLAT_LIBNVML", PTXLAT_TEST_LIBCUDA);
  environment.set("PTXLAT_STANDIN_NVML", words);
  return worker::condition_of(options, uuid);
}

}  // namespace

TEST_CASE("NVML reports which processes use a GPU, how it is shared and what limits its clocks") {
  Environment environment;
  const auto idle = condition(environment, "");
  CHECK(idle.problem.empty());
  REQUIRE(idle.processes);
  CHECK(idle.processes->empty());
  CHECK(idle.is_mig == false);
  CHECK(idle.has_mps_clients == false);
  CHECK(idle.drives_display == false);
  CHECK(idle.has_ecc == true);
  CHECK(idle.uncorrected_errors == 0u);
  CHECK(idle.clock_reasons == nvml::nvmlClocksEventReasonGpuIdle);

  const auto busy =
      condition(environment, "process=4711 process=4713 mps=4712 mig display no_ecc errors=3 reasons=0x24");
  CHECK(busy.processes == std::vector<nvml::Process>{{4711, "trainer"}, {4713, ""}});
  CHECK(busy.is_mig == true);
  CHECK(busy.has_mps_clients == true);
  CHECK(busy.drives_display == true);
  CHECK(busy.has_ecc == false);
  CHECK(busy.uncorrected_errors == 3u);
  CHECK(busy.clock_reasons == 0x24u);
}

TEST_CASE("a part of a GPU is known by its own UUID, and distinguished from the whole one") {
  Environment environment;
  const auto part = condition(environment, "part process=4711");
  CHECK(part.problem.empty());
  CHECK(part.is_mig == true);
  CHECK(part.processes == std::vector<nvml::Process>{{4711, "trainer"}});
}

TEST_CASE("an NVML that is missing, old, forbidden, crashing or hanging is only a problem") {
  Environment environment;
  CHECK(condition(environment, "fails").problem == "Insufficient Permissions");
  CHECK(condition(environment, "unknown_gpu").problem.find("does not know the GPU " + uuid) != std::string::npos);
  CHECK(condition(environment, "crashes").problem.find("died of signal 6") != std::string::npos);
  auto impatient = test_options();
  impatient.start_deadline = 500ms;
  CHECK(condition(environment, "hangs", impatient).problem.find("did not finish within") != std::string::npos);
  environment.set("PTXLAT_LIBNVML", "/nonexistent/libnvidia-ml.so.1");
  CHECK(worker::condition_of(test_options(), uuid).problem.find("/nonexistent/libnvidia-ml.so.1") != std::string::npos);
  environment.set("PTXLAT_LIBNVML", "libm.so.6");  // a library without any of the functions
  CHECK_FALSE(worker::condition_of(test_options(), uuid).problem.empty());
}
