// SPDX-License-Identifier: Apache-2.0
#include "probe/readers.h"

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::probe;
using Values = std::vector<std::optional<double>>;
using Words = std::vector<std::uint32_t>;

namespace {

ptx::Readout readout_of(std::size_t launches, std::size_t threads, const Words& words) {
  ptx::Readout readout;
  readout.launches = launches;
  readout.threads = threads;
  readout.words_per_thread = words.size() / launches / threads;
  readout.words = words;
  return readout;
}

Values read(const std::string& reader, const ptx::Readout& readout, std::int64_t count = 1) {
  Probe probe;
  probe.reader = reader;
  Point point;
  point.count = count;
  return values_of(probe, point, readout);
}

constexpr std::uint32_t near_the_wrap = 0xfffffff0;

}  // namespace

TEST_CASE("per step: the first thread's cycles by the steps, the median of the launches") {
  const auto readout = readout_of(3, 2, {0, 400, 0, 9, 100, 540, 0, 9, near_the_wrap, near_the_wrap + 480, 0, 9});
  CHECK(read("per_step", readout, 8) == Values{55});
}

TEST_CASE("throughput: operations by the cycles from the first start of a thread to the last end") {
  CHECK(read("throughput", readout_of(1, 3, {100, 150, 90, 140, 110, 190}), 400) == Values{4});
  INFO("clocks that wrap between one thread and the next");
  const Words words{near_the_wrap + 20, near_the_wrap + 90, near_the_wrap,
                    near_the_wrap + 80, near_the_wrap + 10, near_the_wrap + 100};
  CHECK(read("throughput", readout_of(1, 3, words), 400) == Values{4});
}

TEST_CASE("span: cycles of all threads by the operations, which is the inverse of throughput") {
  const auto readout = readout_of(1, 3, {100, 150, 90, 140, 110, 190});
  CHECK(read("span", readout, 4) == Values{25});
  CHECK(read("span", readout_of(3, 1, {0, 10, 0, 30, 0, 20}), 2) == Values{10});
  CHECK(read("span", readout_of(1, 1, {100, 100})) == Values{std::nullopt});
}

TEST_CASE("span and throughput leave out threads that stored nothing") {
  CHECK(read("span", readout_of(1, 3, {0, 0, 90, 140, 110, 190})) == Values{100});
  CHECK(read("throughput", readout_of(1, 3, {100, 150, 0, 0, 0, 0}), 100) == Values{2});
  CHECK(read("span", readout_of(1, 2, {0, 0, 0, 0})) == Values{std::nullopt});
}

TEST_CASE("rate: operations by the slowest thread's own cycles, because clocks of SMs are not one") {
  CHECK(read("rate", readout_of(1, 3, {100, 150, 9000, 9100, near_the_wrap, near_the_wrap + 20}), 400) == Values{4});
  CHECK(read("rate", readout_of(3, 1, {0, 10, 0, 40, 0, 20}), 400) == Values{20});
}

TEST_CASE("words: each word of the first thread by the count, the median of the launches") {
  const auto readout = readout_of(3, 2, {8, 100, 1, 1, 4, 300, 1, 1, 6, 200, 1, 1});
  CHECK(read("words", readout, 2) == Values{3, 100});
  INFO("zero is a word like others");
  CHECK(read("words", readout_of(1, 1, {0, 7})) == Values{0, 7});
}

TEST_CASE("samples: the words that came back of the buffers by the count, whatever the slots say") {
  auto readout = readout_of(2, 1, {1, 2, 3, 4});
  readout.buffers = {260, 0, 400};
  CHECK(read("samples", readout, 8) == Values{32.5, 0, 50});
}

TEST_CASE("clocks that do not move give no throughput") {
  CHECK(read("throughput", readout_of(1, 1, {100, 100}), 400) == Values{std::nullopt});
}

TEST_CASE("throughput of threads that agree") {
  ptx::Readout readout;
  readout.launches = 2;
  readout.threads = 32;
  readout.words_per_thread = 2;
  readout.threads_agree = true;
  readout.words = {10, 30, 50, 70};
  CHECK(read("throughput", readout, 640) == Values{32});
}

TEST_CASE("time-line: each word of the last launch less the earliest, a word that was not stored left empty") {
  const auto readout = readout_of(2, 2, {1, 2, 3, 4, 105, 120, 100, 0});
  CHECK(read("timeline", readout) == Values{5, 20, 0, std::nullopt});
  INFO("across the wrap of the clock");
  CHECK(read("timeline", readout_of(1, 2, {5, 12, near_the_wrap, near_the_wrap + 1})) == Values{21, 28, 0, 1});
  INFO("where the first thread stored nothing");
  CHECK(read("timeline", readout_of(1, 2, {0, 0, 100, 107})) == Values{std::nullopt, std::nullopt, 0, 7});
  CHECK(read("timeline", readout_of(1, 1, {0, 0})) == Values{std::nullopt, std::nullopt});
}

TEST_CASE("warps: the time-line of the first lane of each warp") {
  Words words(2 * 40, 1000);  // one warp and a part of the next, each lane with two words
  words[0] = 105;
  words[1] = 120;
  words[2 * 32] = 100;
  words[2 * 32 + 1] = 0;
  CHECK(read("warps", readout_of(1, 40, words)) == Values{5, 20, 0, std::nullopt});
}

TEST_CASE("the series of warps has an axis of them, as long as the longest point's") {
  Probe probe;
  probe.reader = "warps";
  probe.words = {0, 1};
  probe.word_names = {"start", "end"};
  probe.axes = {{"threads", "", {32, 40}}};
  std::vector<Point> points(2);
  points[0].trial.launch.threads = 32;
  points[1].trial.launch.threads = 40;
  const auto series = series_of(probe, {{0, 1}, {2, 3, 4, 5}}, points);
  REQUIRE(series.axes.size() == 3);
  CHECK(series.axes[1] == results::Axis{"warp", "", {0, 1}});
  CHECK(series.axes[2] == results::Axis{"word", "", {0, 1}, {"start", "end"}});
  CHECK(series.values == Values{0, 1, std::nullopt, std::nullopt, 2, 3, 4, 5});
}

TEST_CASE("scoreboards: how many different ones the code sets, to be written or read") {
  sass::Window window;
  window.instructions.resize(5);
  window.instructions[0].control.write_scoreboard = 0;
  window.instructions[1].control.read_scoreboard = 5;
  window.instructions[2].control.write_scoreboard = 0;
  window.instructions[3].control.write_scoreboard = 2;
  window.instructions[4].control.wait_mask = 0x3f;
  CHECK(scoreboards_of(window) == 3);
  CHECK(scoreboards_of({}) == 0);
}

TEST_CASE("no launch gives no value") {
  for (const auto reader : {"per_step", "throughput", "span", "rate", "timeline", "warps", "words", "samples"})
    CHECK(read(reader, ptx::Readout{}).empty());
}

TEST_CASE("a series has the probe's axes, and a place for each point") {
  Probe probe;
  probe.series = "latency";
  probe.unit = "cycles";
  probe.axes = {{"bytes", "bytes", {4, 8}}, {"warps", "", {1, 2}}};
  const auto series = series_of(probe, {{1.5}, {}, {3}, {4}}, std::vector<Point>(4));
  CHECK(series.name == "latency");
  CHECK(series.unit == "cycles");
  REQUIRE(series.axes.size() == 2);
  CHECK(series.axes[0] == results::Axis{"bytes", "bytes", {4, 8}});
  CHECK(series.values == Values{1.5, std::nullopt, 3, 4});
}

TEST_CASE("the series of a time-line has an axis of threads and one of words, as long as the longest point's") {
  Probe probe;
  probe.reader = "timeline";
  probe.words = {0, 5};
  probe.axes = {{"threads", "", {1, 2}}};
  std::vector<Point> points(2);
  points[0].trial.launch.threads = 1;
  points[1].trial.launch.threads = 2;
  const auto series = series_of(probe, {{0, 1}, {2, 3, 4, 5}}, points);
  REQUIRE(series.axes.size() == 3);
  CHECK(series.axes[1] == results::Axis{"thread", "", {0, 1}});
  CHECK(series.axes[2] == results::Axis{"word", "", {0, 1}});
  CHECK(series.values == Values{0, 1, std::nullopt, std::nullopt, 2, 3, 4, 5});
}

TEST_CASE("the series of words has an axis of them, by their names if they have any") {
  Probe probe;
  probe.reader = "words";
  probe.words = {3, 1};
  probe.axes = {{"n", "", {4}}};
  CHECK(series_of(probe, {{5, 6}}, std::vector<Point>(1)).axes.at(1) == results::Axis{"word", "", {0, 1}});
  probe.word_names = {"extra", "done"};
  const auto series = series_of(probe, {{5, 6}}, std::vector<Point>(1));
  CHECK(series.axes.at(1) == results::Axis{"word", "", {0, 1}, {"extra", "done"}});
  CHECK(series.values == Values{5, 6});
}

TEST_CASE("the series of samples has an axis as long as the longest point reads") {
  Probe probe;
  probe.reader = "samples";
  probe.axes = {{"n", "", {1, 2}}};
  std::vector<Point> points(2);
  points[0].trial.launch.buffers = {{64, ptx::Buffer::Contents::zeros, 0, 1, 1}};
  points[1].trial.launch.buffers = {{64, ptx::Buffer::Contents::zeros, 0, 1, 1},
                                    {64, ptx::Buffer::Contents::zeros, 0, 1, 2}};
  const auto series = series_of(probe, {{9}, {1, 2, 3}}, points);
  CHECK(series.axes.at(1) == results::Axis{"sample", "", {0, 1, 2}});
  CHECK(series.values == Values{9, std::nullopt, std::nullopt, 1, 2, 3});
}

TEST_CASE("an axis of names keeps them in the series") {
  Probe probe;
  probe.axes = {{"path", "", {0, 1}, {"ca", "cg"}}};
  const auto series = series_of(probe, {{33}, {260}}, std::vector<Point>(2));
  CHECK(series.axes.at(0) == results::Axis{"path", "", {0, 1}, {"ca", "cg"}});
}
