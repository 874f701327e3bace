// SPDX-License-Identifier: Apache-2.0
#include "line/line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "catch.h"
#include "literal_assembler.h"
#include "no_tools.h"
#include "skip.h"

using namespace ptxlat;
using namespace ptxlat::line;

namespace {

// Makes a record of each cell that has the cell's number for a level, and does `before` first.
struct NumberingMethod : Method {
  std::function<void(const Cell&)> before = [](const Cell&) {};
  std::vector<results::Record> make(Bench& bench, std::span<const Cell> chunk) const override {
    std::vector<results::Record> records;
    for (const auto& cell : chunk) {
      if (cell.level != bench.level()) throw std::logic_error("a chunk has cells of another level");
      before(cell);
      results::Record record;
      record.level = static_cast<int>(cell.number);
      records.push_back(record);
    }
    return records;
  }
};

// A line that makes numbers.
struct NumberLine {
  NoDisassembler disassembler;
  NumberingMethod method;
  std::atomic<bool> interrupted{false};
  std::vector<int> finished;
  std::function<void(double)> on_share;
  std::size_t threads = 4;
  int at_work = 0;  // calls of on_finished; two at a time would be seen

  bool run(const std::vector<Cell>& cells) {
    Line line{.toolchain = {}, .target = {90, ""}, .disassembler = disassembler, .interrupted = &interrupted};
    line.on_finished = [this](std::vector<results::Record> records) {
      if (++at_work != 1) throw std::logic_error("two threads finish at a time");
      for (const auto& record : records) finished.push_back(record.level);
      --at_work;
    };
    line.on_share = on_share;
    std::vector<std::unique_ptr<KernelAssembler>> assemblers;
    for (std::size_t i = 0; i < threads; ++i) assemblers.push_back(std::make_unique<NoAssembler>());
    return run_line(line, method, assemblers, cells);
  }
};

// Cells of which a chunk has one.
std::vector<Cell> cells_of(std::size_t count) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < count; ++i) cells.push_back({i, static_cast<int>(i % 2), most_text_per_chunk});
  return cells;
}

// MiB of this process that are in memory.
long resident_mib() {
  long size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE) >> 20;
}

}  // namespace

TEST_CASE("every cell comes down the line once, whatever the number of threads") {
  for (const std::size_t threads : {1, 2, 7}) {
    NumberLine line;
    line.threads = threads;
    CHECK(line.run(cells_of(200)));
    std::sort(line.finished.begin(), line.finished.end());
    REQUIRE(line.finished.size() == 200);
    for (int i = 0; i < 200; ++i) CHECK(line.finished[static_cast<std::size_t>(i)] == i);
  }
  NumberLine line;
  CHECK(line.run({}));
  CHECK(line.finished.empty());
}

TEST_CASE("the share of the work that is done comes before the cells, up to all of it") {
  NumberLine line;
  std::vector<double> shares;
  line.on_share = [&](double share) {
    CHECK(line.finished.size() == shares.size());
    shares.push_back(share);
  };
  auto cells = cells_of(3);
  cells[2].ptx_bytes *= 2;
  line.threads = 1;
  CHECK(line.run(cells));
  CHECK(shares == std::vector<double>{0.25, 0.5, 1});
}

TEST_CASE("an interrupted line finishes what is under way and begins nothing else") {
  NumberLine line;
  line.threads = 1;
  line.method.before = [&](const Cell& cell) {
    if (cell.number == 5) line.interrupted = true;
  };
  CHECK_FALSE(line.run(cells_of(100)));
  CHECK(line.finished == std::vector<int>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("a chunk of an interrupted line that needs much longer is given up before its next module") {
  std::atomic<bool> interrupted{false};
  LiteralAssembler assembler;
  std::vector<std::string> modules;
  assembler.names = &modules;
  LiteralDisassembler disassembler;
  const Line line{.toolchain = {}, .target = {90, ""}, .disassembler = disassembler, .interrupted = &interrupted};
  Gpus none({});
  const auto is_given_up = [](const auto& step) {
    try {
      step();
    } catch (const Error& error) {
      return error.exit_code == ExitCode::interrupted;
    }
    return false;
  };
  const auto add = [](Bench& bench, int count) {
    for (int i = 0; i < count; ++i) {
      ptx::Trial trial;
      trial.kernel.text = fmt::format("{}: mov.u32 %clock_1, %clock;\nx {};\nmov.u32 %clock_2, %clock;", i, i);
      bench.add(trial, "x");
    }
  };

  // Whether four modules are given up, and `modules` has those that were assembled.
  const auto gives_up_four = [&](Interruption& interruption) {
    Bench bench(line, assembler, none, interruption, 3);
    add(bench, 4);
    return is_given_up([&] { bench.assemble(1); });
  };

  SECTION("it has no time left") {
    Interruption interruption(&interrupted, std::chrono::milliseconds(0));
    Bench bench(line, assembler, none, interruption, 3);
    add(bench, 2);
    bench.assemble();
    CHECK(modules.size() == 2);
    interrupted = true;
    add(bench, 4);
    CHECK(is_given_up([&] { bench.assemble(); }));
    CHECK(modules.size() == 2);
  }
  SECTION("between two modules of one call, and before what was assembled is disassembled") {
    Interruption interruption(&interrupted, std::chrono::milliseconds(0));
    assembler.change = [&](const std::string&, const std::string&, standin::Code&) { interrupted = true; };
    CHECK(gives_up_four(interruption));
    CHECK(modules.size() == 1);
  }
  SECTION("it was waiting for its assembler when its time ran out") {
    Interruption interruption(&interrupted, std::chrono::milliseconds(100));
    assembler.change = [&](const std::string&, const std::string&, standin::Code&) {
      interrupted = true;
      std::this_thread::sleep_for(std::chrono::seconds(3));
    };
    CHECK(gives_up_four(interruption));
    CHECK(modules.size() == 1);
  }
  SECTION("it still has time") {
    Interruption interruption(&interrupted, std::chrono::hours(1));
    interrupted = true;
    CHECK_FALSE(gives_up_four(interruption));
    CHECK(modules.size() == 4);
  }
}

TEST_CASE("the first error stops the line and is thrown again; what was finished stays") {
  NumberLine line;
  line.method.before = [](const Cell& cell) {
    if (cell.number == 20) throw Error(ExitCode::no_gpu, "the GPU is gone");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  try {
    line.run(cells_of(20'000));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::no_gpu);
    CHECK(std::string(error.what()) == "the GPU is gone");
  }
  CHECK(line.finished.size() >= 4);
  CHECK(line.finished.size() < 20'000);
  CHECK(std::count(line.finished.begin(), line.finished.end(), 20) == 0);
}

TEST_CASE("what a chunk freed goes back to the system, although something behind it is kept") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip("a sanitizer's allocator, which keeps what was freed");
#endif
  NumberLine line;
  std::mutex mutex;
  std::vector<std::string> kept;
  line.method.before = [&](const Cell&) {
    std::vector<std::string> used;
    for (int i = 0; i < 16'000; ++i) used.emplace_back(4'000, ' ');
    const std::scoped_lock lock(mutex);
    kept.emplace_back(4'000, ' ');
  };
  const auto before = resident_mib();
  CHECK(line.run(cells_of(8)));
  CHECK(resident_mib() < before + 64);  // of 64 on each of four threads
}

TEST_CASE("nothing to be counted needs no GPU") {
  NoDisassembler disassembler;
  NoAssembler assembler;
  worker::Worker worker{worker::WorkerOptions{}};
  Gpus gpus({&worker});
  gpus.lose(0, Error(ExitCode::no_gpu, "gone"));
  const Line line{.toolchain = {}, .target = {90, ""}, .disassembler = disassembler, .workers = {&worker}};
  Interruption interruption(line.interrupted);
  Bench bench(line, assembler, gpus, interruption, 3);
  CHECK(bench.count({}).empty());
}

TEST_CASE("a chunk that is one already is made whole, and not handed to on_finished") {
  NoDisassembler disassembler;
  NumberingMethod method;
  NoAssembler assembler;
  Line line{.toolchain = {}, .target = {90, ""}, .disassembler = disassembler};
  line.on_finished = [](const std::vector<results::Record>&) { FAIL("handed on"); };
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < 7; ++i) cells.push_back({i, 3, most_text_per_chunk});
  CHECK(make_chunk(line, method, assembler, cells).size() == 7);
}
