// SPDX-License-Identifier: Apache-2.0

// Which of the words that threads stored are returned, and the input of launches.
#include "catch.h"
#include "environment.h"

using namespace ptxlat;
using namespace ptxlat::worker;

namespace {

ptx::LaunchOutcome outcome_of(const ptx::Launch& launch, int launches = 3) {
  Environment environment;
  LaunchBatch batch = test_batch(1);
  batch.kernels[0].launch = launch;
  batch.kernels[0].launches = launches;
  return Worker(test_options()).launch(batch).at(0);
}

ptx::Readout readout_of(const ptx::Launch& launch) {
  auto outcome = outcome_of(launch);
  INFO(outcome.message);
  REQUIRE(outcome.status == ptx::LaunchStatus::ok);
  return std::move(outcome.readout);
}

ptx::Launch launch_of(int threads, int ctas, int output_ctas, const std::vector<int>& words) {
  ptx::Launch launch;
  launch.threads = threads;
  launch.ctas = ctas;
  launch.output_ctas = output_ctas;
  launch.output_words = words;
  return launch;
}

void check_refused(const ptx::Launch& launch, const std::string& words) {
  const auto outcome = outcome_of(launch);
  CHECK(outcome.status == ptx::LaunchStatus::fault);
  CHECK_THAT(outcome.message, Catch::Matchers::Contains(words));
}

}  // namespace

TEST_CASE("the words of all threads of several CTAs are returned if threads disagree") {
  // In the stand-in, windows of all CTAs but the first take a cycle longer.
  const auto readout = readout_of(launch_of(4, 3, 3, {first_clock, second_clock, threads_of_cta}));
  CHECK(readout.launches == 3);
  CHECK(readout.threads == 12);
  CHECK(readout.words_per_thread == 3);
  CHECK_FALSE(readout.threads_agree);
  REQUIRE(readout.words.size() == 3 * 12 * 3);
  for (std::size_t launch = 0; launch < 3; ++launch) {
    for (std::size_t thread = 0; thread < 12; ++thread) {
      CHECK(cycles_of(readout, launch, thread) == (thread < 4 ? 10 : 11));
      CHECK(readout.word(launch, thread, 2) == 4);
    }
  }
}

TEST_CASE("only threads so far apart are read, in each CTA") {
  auto launch = launch_of(4, 3, 3, {first_clock, second_clock});
  launch.output_step = 2;
  const auto readout = readout_of(launch);
  CHECK(readout.threads == 6);
  REQUIRE(readout.words.size() == 3 * 6 * 2);
  for (std::size_t thread = 0; thread < 6; ++thread) CHECK(cycles_of(readout, 0, thread) == (thread < 2 ? 10 : 11));
  for (const int step : {0, 3}) {
    launch.output_step = step;
    check_refused(launch, "multiple of the threads from one that is read to the next");
  }
}

TEST_CASE("if the threads of each launch agree, the first thread's words represent all of them") {
  const auto readout = readout_of(launch_of(4, 3, 1, {first_clock, second_clock}));
  CHECK(readout.threads == 4);
  CHECK(readout.threads_agree);
  CHECK(readout.words.size() == 3 * 2);
  for (std::size_t launch = 0; launch < 3; ++launch) CHECK(cycles_of(readout, launch, 3) == 10);
  INFO("launches may differ from each other");
  CHECK(readout.word(0, 0, 0) != readout.word(1, 0, 0));
}

TEST_CASE("words come back in the order in which they were asked for, and only these must agree") {
  const auto readout = readout_of(launch_of(4, 3, 3, {threads_of_cta, sm_id, first_clock}));
  CHECK(readout.threads_agree);
  CHECK(readout.word(0, 11, 0) == 4);
  CHECK(readout.word(0, 11, 1) == 17);
}

TEST_CASE("buffers are filled before the launches, and their first words are returned one buffer after another") {
  auto launch = launch_of(1, 1, 1, {first_clock, second_clock});
  launch.buffers = {{64, ptx::Buffer::Contents::ring, 16, 1, 16}, {16, ptx::Buffer::Contents::zeros, 0, 1, 2}};
  const auto words = readout_of(launch).buffers;
  REQUIRE(words.size() == 18);
  const auto address = [&](std::size_t place) { return words[4 * place] | std::uint64_t{words[4 * place + 1]} << 32; };
  for (std::size_t place = 0; place + 1 < 3; ++place) CHECK(address(place + 1) == address(place) + 16);
  CHECK(address(3) == address(0) - 16);
  CHECK(words[2] == 0);  // between two places
  CHECK((words[16] == 0 && words[17] == 0));
}

TEST_CASE("the parameter block has the launch's values, and zeros elsewhere") {
  const TemporaryFile log;
  Environment environment;
  environment.set("PTXLAT_STANDIN_LAUNCH_SHAPES", log.path());
  LaunchBatch batch = test_batch(3, 1);
  batch.kernels[1].launch.parameters = {0, 0, 7};
  batch.kernels[2].launch.buffers = {{8}};
  Worker(test_options()).launch(batch);
  const auto lines = log.lines();
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[0], Catch::Matchers::Contains(" parameters zero "));
  CHECK_THAT(lines[1], Catch::Matchers::Contains(" parameters dirty "));
  CHECK_THAT(lines[2], Catch::Matchers::Contains(" parameters dirty "));
}

TEST_CASE("an invalid launch is its own fault, with the reason") {
  ptx::Launch launch;
  SECTION("a buffer") {
    launch.buffers = {{12}};
    check_refused(launch, "not a multiple of 8");
  }
  SECTION("words behind a buffer's end") {
    launch.buffers = {{8, ptx::Buffer::Contents::zeros, 0, 1, 3}};
    check_refused(launch, "more words are read of a buffer than it has");
  }
  SECTION("words behind a slot's end") {
    launch.output_words = {0, ptx::words_per_slot};
    check_refused(launch, "a slot has words 0 to 15");
  }
  SECTION("CTAs that are not launched") {
    launch.output_ctas = 2;
    check_refused(launch, "more CTAs are read than launched");
  }
  SECTION("parameters") {
    launch.parameters.assign(ptx::parameter_bytes / 8 + 1, 1);
    check_refused(launch, "more parameters than 1024 bytes");
  }
}
