// SPDX-License-Identifier: Apache-2.0
#include "line/gpus.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "catch.h"
#include "wait_until.h"

using namespace ptxlat;
using namespace ptxlat::line;

namespace {

// GPUs whose workers are never used.
struct Idle {
  explicit Idle(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      workers.push_back(std::make_unique<worker::Worker>(worker::WorkerOptions{}));
    std::vector<worker::Worker*> pointers;
    for (const auto& worker : workers) pointers.push_back(worker.get());
    gpus.emplace(pointers);
  }
  std::vector<std::unique_ptr<worker::Worker>> workers;
  std::optional<Gpus> gpus;
};

// Threads that write down when they get their turn.
struct Queue {
  explicit Queue(const Gpus& queued_for) : gpus(queued_for) {}
  // Returns when the thread waits, or has had its turn.
  template <class Wait>
  void add(const std::string& name, const Wait& wait) {
    threads.emplace_back([this, name, wait] {
      try {
        const auto turn = wait();
        const std::scoped_lock lock(mutex);
        order += name + std::to_string(turn.number()) + " ";
      } catch (const Error& error) {
        const std::scoped_lock lock(mutex);
        order += name + ": " + error.what() + " ";
      }
      ++ended;
    });
    wait_until([this] { return gpus.waiting() + ended == threads.size(); });
  }
  std::string so_far() {
    const std::scoped_lock lock(mutex);
    return order;
  }
  std::string at_the_end() {
    threads.clear();
    return order;
  }
  const Gpus& gpus;
  std::atomic<std::size_t> ended{0};
  std::mutex mutex;
  std::string order;
  std::vector<std::jthread> threads;
};

}  // namespace

TEST_CASE("who waits for a GPU gets it in order, and who is in the middle of something before who would begin") {
  Idle idle(1);
  auto& gpus = *idle.gpus;
  Queue queue(gpus);
  {
    const auto turn = gpus.any();
    queue.add("begins", [&] { return gpus.any(); });
    queue.add("begins later", [&] { return gpus.any(); });
    queue.add("goes on", [&] { return gpus.of(0); });
    queue.add("goes on with any", [&] { return gpus.any({}, true); });
    queue.add("goes on later", [&] { return gpus.of(0); });
  }
  CHECK(queue.at_the_end() == "goes on0 goes on with any0 goes on later0 begins0 begins later0 ");
}

TEST_CASE("no GPU is idle while anyone waits for it, and only its own waiters get it") {
  Idle idle(3);
  auto& gpus = *idle.gpus;
  Queue queue(gpus);
  {
    std::unique_ptr<Gpus::Turn> first(new Gpus::Turn(gpus.of(0))), second(new Gpus::Turn(gpus.of(1)));
    const auto third = gpus.of(2);
    queue.add("for 0: ", [&] { return gpus.of(0); });
    queue.add("any but 1: ", [&] { return gpus.any(1); });
    second.reset();
    queue.add("any: ", [&] { return gpus.any(); });
    CHECK(queue.so_far() == "any: 1 ");
    first.reset();
  }
  const auto order = queue.at_the_end();
  CHECK(order.find("for 0: 0 ") != std::string::npos);
  CHECK(order.find("any but 1: 1") == std::string::npos);
}

TEST_CASE("a lost GPU wakes those that wait for it; the one to be avoided is taken if it is the last") {
  Idle idle(2);
  auto& gpus = *idle.gpus;
  Queue queue(gpus);
  {
    const auto lost = gpus.of(0);
    queue.add("goes on", [&] { return gpus.of(0); });
    queue.add("avoids ", [&] { return gpus.any(1); });
    CHECK(gpus.lose(0, Error(ExitCode::no_gpu, "gone")));
  }
  const auto order = queue.at_the_end();
  CHECK(order.find("goes on: gone ") != std::string::npos);
  CHECK(order.find("avoids 1 ") != std::string::npos);
  CHECK(gpus.lose(1, Error(ExitCode::no_gpu, "gone as well")));
  CHECK_THROWS_AS(gpus.any(), Error);
}

TEST_CASE("the use of a GPU is the sum of its turns") {
  Idle idle(2);
  auto& gpus = *idle.gpus;
  constexpr std::chrono::milliseconds turn_time{20};
  for (int i = 0; i < 3; ++i) {
    const auto turn = gpus.of(1);
    std::this_thread::sleep_for(turn_time);
  }
  const auto use = gpus.use();
  REQUIRE(use.size() == 2);
  CHECK(use[0].busy == 0);
  CHECK(use[1].busy >= 0.06);
  CHECK(use[1].busy <= use[1].last - use[1].first);
}
