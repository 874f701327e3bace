// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <sstream>

#include "catch.h"
#include "text.h"

using namespace ptxlat;
using namespace ptxlat::cli;
using namespace std::chrono_literals;

namespace {

// A clock that a test turns, and what was written.
struct Watched {
  std::chrono::steady_clock::time_point now{};
  std::ostringstream out;
  Progress progress;

  Watched(Progress::To to, std::size_t total) : progress(out, to, total, "cells", [this] { return now; }) {}

  // The output when, after this long, this many more cells were done.
  std::string after(std::chrono::milliseconds time, std::size_t cells) {
    now += time;
    out.str("");
    progress.advance(cells);
    return out.str();
  }
};

}  // namespace

TEST_CASE("progress shows what is done, the rate and the time left") {
  Watched watched(Progress::To::log, 1000);
  CHECK(watched.after(10s, 100) == "100 of 1000 cells, 10 a second, 1 min 30 s left\n");
  CHECK(watched.after(10s, 500) == "600 of 1000 cells, 30 a second, 13 s left\n");
}

TEST_CASE("rate and time left are those of the last half minute") {
  Watched watched(Progress::To::log, 10000);
  for (int second = 0; second < 60; ++second) watched.after(1s, 100);
  for (int second = 0; second < 39; ++second) watched.after(1s, 10);
  CHECK(watched.after(1s, 10) == "6400 of 10000 cells, 10 a second, 6 min 00 s left\n");
}

TEST_CASE("if the share of the work is known, the time left is not that of the cells") {
  Watched watched(Progress::To::log, 1000);
  watched.progress.set_share(0.5);  // by four cells that take long
  CHECK(watched.after(10s, 4) == "4 of 1000 cells, 0.4 a second, 10 s left\n");
  for (int second = 0; second < 30; ++second) watched.after(1s, 1);
  watched.progress.set_share(0.75);
  CHECK(watched.after(10s, 1) == "35 of 1000 cells, 0.7 a second, 30 s left\n");
  watched.progress.set_share(1);
  CHECK(watched.after(10s, 965).starts_with("1000 of 1000 cells, "));
}

TEST_CASE("a line that was cleared comes back with the next cell") {
  Watched watched(Progress::To::terminal, 1000);
  watched.after(300ms, 10);
  clear_progress();
  CHECK(watched.after(1ms, 10).starts_with("\r\033[K[....................] 20 of 1000 cells"));
}

TEST_CASE("a log gets a line every five seconds, not one for each chunk") {
  Watched watched(Progress::To::log, 1000);
  CHECK(watched.after(1s, 10).empty());
  CHECK(watched.after(3s, 10).empty());
  CHECK_FALSE(watched.after(1s, 10).empty());
  CHECK(watched.after(1s, 10).empty());
}

TEST_CASE("a terminal gets one line that is written over, five times a second, and none at the end") {
  Watched watched(Progress::To::terminal, 1000);
  CHECK(watched.after(100ms, 10).empty());
  const auto line = watched.after(100ms, 10);
  CHECK(line.starts_with("\r\033[K[....................] 20 of 1000 cells"));
  CHECK(line.find('\n') == std::string::npos);
  watched.out.str("");
  watched.progress.finish();
  CHECK(watched.out.str() == "\r\033[K");
}

TEST_CASE("the last cell is always shown, without a time left") {
  Watched watched(Progress::To::log, 100);
  CHECK(watched.after(1s, 100) == "100 of 100 cells, 100 a second\n");
  watched.out.str("");
  watched.progress.finish();
  CHECK(watched.out.str().empty());
}

TEST_CASE("work that is done before the clock has moved has no rate") {
  Watched watched(Progress::To::log, 5);
  CHECK(watched.after(0s, 5) == "5 of 5 cells\n");
}

TEST_CASE("the time left waits until a tenth is done or half a minute is over, and the bar shows the share") {
  Watched watched(Progress::To::terminal, 1000);
  CHECK(watched.after(5s, 50) == "\r\033[K[#...................] 50 of 1000 cells, 10 a second");
  CHECK(has(watched.after(5s, 50), "[##..................] 100 of 1000 cells, 10 a second, 1 min 30 s left"));
  Watched slow(Progress::To::log, 10000);
  CHECK_FALSE(has(slow.after(10s, 10), "left"));
  CHECK(has(slow.after(25s, 10), "left"));
}

TEST_CASE("nobody is told of progress that nobody wants") {
  Watched watched(Progress::To::nobody, 10);
  CHECK(watched.after(10s, 10).empty());
  watched.progress.finish();
  CHECK(watched.out.str().empty());
}
