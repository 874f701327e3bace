// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/wait.h>

#include "../results/test_folder.h"
#include "base/error.h"
#include "catch.h"
#include "environment.h"
#include "wait_until.h"

using namespace ptxlat;
using namespace ptxlat::worker;
using namespace std::chrono_literals;

namespace {

bool is_alive(pid_t process) { return kill(process, 0) == 0; }

// Also of a process that is not our child, and so may stay a zombie if no process adopts it.
bool has_ended(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/stat");
  std::string pid, name, state;
  return !is_alive(process) || !(status >> pid >> name >> state) || state == "Z";
}

// What the error of an action says, to be read by the user.
template <typename Action>
std::string words_of(ExitCode code, Action action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.exit_code == code);
    return std::string(error.what()) + " | " + error.advice;
  }
  return "no error";
}

}  // namespace

TEST_CASE("the device is described in the driver's words") {
  Environment environment;
  environment.set("PTXLAT_STANDIN_DRIVER_VERSION", "580.1.2");
  const gpu::DeviceInfo info = Worker(test_options()).device_info();
  CHECK(info.name == "Stand-in H200");
  CHECK(info.uuid == "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f");
  CHECK(info.sm == 90);
  CHECK(info.sm_count == 132);
  CHECK(info.memory_bus_bits == 6144);
  CHECK(info.memory_clock_khz == 3201000);
  CHECK(info.l2_bytes == 50 << 20);
  CHECK(info.memory_bytes == 150754820096);
  CHECK(info.persisting_l2_bytes == 32 << 20);
  CHECK(info.window_bytes == 128 << 20);
  CHECK(info.driver_version == "580.1.2");
  CHECK(info.cuda_api_version == 13000);
}

TEST_CASE("without a driver the error says what is missing and what works without it") {
  Environment environment;
  environment.set("PTXLAT_LIBCUDA", "/nonexistent/libcuda.so.1");
  Worker worker(test_options());
  const std::string words = words_of(ExitCode::no_gpu, [&] { worker.launch(test_batch(1)); });
  CHECK(words.find("no NVIDIA driver was found: /nonexistent/libcuda.so.1") == 0);
  CHECK(words.find("`ptxlat static`") != std::string::npos);
  CHECK(words_of(ExitCode::no_gpu, [&] { worker.device_info(); }) == words);
}

TEST_CASE("a driver without a GPU, and a missing GPU, are distinguished") {
  Environment environment;
  WorkerOptions options = test_options();
  options.device = 3;
  CHECK(words_of(ExitCode::no_gpu, [&] {
          Worker(options).device_info();
        }).find("there is no GPU 3: the driver sees 1") == 0);
  environment.set("PTXLAT_STANDIN_NO_DEVICE", "1");
  CHECK(words_of(ExitCode::no_gpu, [&] {
          Worker(test_options()).device_info();
        }).find("the NVIDIA driver sees no GPU") == 0);
}

TEST_CASE("a program that cannot be started is an error and not a fault") {
  WorkerOptions options;
  options.program = "/nonexistent/ptxlat";
  CHECK(words_of(ExitCode::failure, [&] {
          Worker(options).device_info();
        }).find("cannot start the worker /nonexistent") == 0);
}

TEST_CASE("a worker that is stopped while it opens the GPU is replaced once") {
  Environment environment;
  const TestFolder folder;
  environment.set("PTXLAT_STANDIN_STOP_ONCE", folder.path / "stopped");
  auto options = test_options();
  options.start_deadline = 3s;  // many times as long as the second process needs
  Worker worker(options);
  CHECK(worker.device_info().sm == 90);
  CHECK(worker.times().processes == 2);
}

TEST_CASE("a worker ends with its Worker, and ignores Ctrl-C before that") {
  Environment environment;
  int process = 0;
  {
    Worker worker(test_options());
    worker.device_info();
    process = worker.process_id();
    kill(process, SIGINT);
    worker.device_info();
    CHECK(worker.process_id() == process);
  }
  CHECK_FALSE(is_alive(process));
}

TEST_CASE("a worker with a hung kernel ends when its supervisor is killed with SIGKILL") {
  Environment environment;
  const TestFolder folder;
  environment.set("PTXLAT_STANDIN_HANG", "k0_");
  environment.set("PTXLAT_STANDIN_HUNG", folder.path / "hung");
  int ids[2];
  REQUIRE(pipe(ids) == 0);
  const pid_t supervisor = fork();
  if (supervisor == 0) {
    Worker worker(test_options());
    worker.device_info();
    const int process = worker.process_id();
    if (write(ids[1], &process, sizeof process) != sizeof process) _exit(1);
    worker.launch(test_batch(1));
    _exit(0);
  }
  int process = 0;
  REQUIRE(read(ids[0], &process, sizeof process) == sizeof process);
  close(ids[0]);
  close(ids[1]);
  wait_until([&] { return std::filesystem::exists(folder.path / "hung"); });
  CHECK(is_alive(process));
  kill(supervisor, SIGKILL);
  waitpid(supervisor, nullptr, 0);
  wait_until([&] { return has_ended(process); });
}
