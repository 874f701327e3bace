// SPDX-License-Identifier: Apache-2.0

// `ptxlat run --shard` on several machines and `ptxlat merge`: the table of one run.
#include <sched.h>
#include <sys/resource.h>

#include <set>

#include "../tables/cells.h"
#include "ptxlat_program.h"
#include "results/store.h"

using namespace ptxlat;

namespace {

using Arguments = std::vector<std::string>;

const Arguments few_forms{"--filter", "/^(add|sub)\\.[us]32/", "-O", "0,3", "--repeat", "0", "--format", "none"};

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// The whole table, made once.
const std::string& whole_csv() {
  static const std::string csv = [] {
    PtxlatProgram program;
    program.require_tools();
    REQUIRE(program.run(with({"run"}, few_forms)).status == 0);
    return program.csv();
  }();
  return csv;
}

Ended run_shard(const PtxlatProgram& program, const std::string& number) {
  return program.run(with({"run", "--shard", number + "/3", "--store", number + ".sqlite", "--replace"}, few_forms));
}

// Saves cells whose windows have this many bytes of machine code together, all of it different.
void save_long_code(results::Store& store, std::size_t bytes) {
  auto run = run_of("static");
  run.id = store.save_run(run);
  constexpr std::size_t instructions = 20'000, bytes_of_each = 40;
  for (std::size_t cell = 0; cell * instructions * bytes_of_each < bytes; ++cell) {
    auto record = cell_of("add.x" + std::to_string(cell), 3, 4, "IADD3");
    record.run = run.id;
    auto& sass = record.windows.front().sass;
    for (std::size_t i = 0; i < instructions; ++i)
      sass.insert(sass.end() - 1, {0, fmt::format("IADD3 R{}, R{:07}, 0x{:04x}, RZ", i % 200, cell, i), 4});
    for (std::size_t i = 0; i < sass.size(); ++i) sass[i].offset = static_cast<int>(16 * i);
    store.save_records(run.table, {record});
  }
}

// Runs the program with at most this much memory for data, and as many threads as on two cores.
Ended run_in(std::size_t bytes, const PtxlatProgram& program, const Arguments& arguments) {
  cpu_set_t all, two;
  REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
  CPU_ZERO(&two);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &two);
  }
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_DATA, &before) == 0);
  const rlimit small{bytes, before.rlim_max};
  ::sched_setaffinity(0, sizeof two, &two);
  ::setrlimit(RLIMIT_DATA, &small);
  auto ended = program.run(arguments);
  ::setrlimit(RLIMIT_DATA, &before);
  ::sched_setaffinity(0, sizeof all, &all);
  return ended;
}

}  // namespace

TEST_CASE("writing a table again needs no memory for the machine code of all windows") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip("sanitizers need more memory");
#endif
  PtxlatProgram program;
  constexpr std::size_t code = 100'000'000;
  {
    results::Store store(program.store());
    save_long_code(store, code);
  }
  // The compressor asks for as much room as the text has, of which it uses a fiftieth.
  const auto ended = run_in(code + 120'000'000, program, {"merge", "ptxlat.sqlite", "--into", "ptxlat.sqlite"});
  INFO(ended.err);
  CHECK(ended.status == 0);
  CHECK(std::filesystem::exists(program.folder() / "ptxlat-tables" / run_of().table / "latency.jsonl.zst"));
}

TEST_CASE("merged shards give the table of one run, and merging again gives it again") {
  PtxlatProgram program;
  program.require_tools();
  for (const std::string number : {"1", "2", "3"}) {
    const auto ended = run_shard(program, number);
    REQUIRE(ended.status == 0);
    CHECK(says(ended, "contains only shard " + number + "/3"));
    CHECK(program.csv() != whole_csv());
    CHECK(tables::read_table(program.table()).run.shard == number + "/3");
  }
  for (const Arguments& stores : {Arguments{"2.sqlite", "1.sqlite", "3.sqlite"}, {"all.sqlite", "3.sqlite"}}) {
    std::filesystem::remove_all(program.folder() / "ptxlat-tables");
    const auto ended = program.run(with(with({"merge"}, stores), {"--into", "all.sqlite"}));
    REQUIRE(ended.status == 0);
    CHECK(ended.out.empty());
    CHECK(program.csv() == whole_csv());
    CHECK_FALSE(says(ended, "contains only shard"));
    const auto table = tables::read_table(program.table());
    CHECK(table.run.shard.empty());
    REQUIRE(table.runs.size() == 3);
    std::set<std::string> shards;
    for (const auto& run : table.runs) shards.insert(run.shard);
    CHECK(shards == std::set<std::string>{"1/3", "2/3", "3/3"});
  }
  // The merged store is that of a finished run.
  const auto again = program.run(with({"run", "--store", "all.sqlite"}, few_forms));
  REQUIRE(again.status == 0);
  CHECK(says(again, "0 cells made"));
}

TEST_CASE("a missing and an unfinished shard are named, the exit code is 9, and everything else is written") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(run_shard(program, "1").status == 0);
  // The remains of a run that was killed before its first cell.
  {
    const auto table = "sm_90/stand-in-h200/driver-0.0.standin";
    auto run = results::Store(program.folder() / "1.sqlite").runs(table).at(0);
    run.id = 0;
    run.shard = "3/3";
    run.finished_utc.clear();
    results::Store(program.folder() / "3.sqlite").save_run(run);
  }
  std::filesystem::remove_all(program.folder() / "ptxlat-tables");
  const auto ended = program.run({"merge", "1.sqlite", "3.sqlite", "--into", "all.sqlite"});
  CHECK(ended.status == 9);
  CHECK(says(ended, "shard 2 of 3 is missing, shard 3 of 3 is unfinished"));
  CHECK(tables::read_table(program.table()).run.shard == "1,3/3");
  CHECK_FALSE(tables::read_table(program.table()).cells.empty());

  REQUIRE(run_shard(program, "2").status == 0);
  REQUIRE(run_shard(program, "3").status == 0);
  CHECK(program.run({"merge", "1.sqlite", "2.sqlite", "3.sqlite", "--into", "all.sqlite"}).status == 0);
  CHECK(program.csv() == whole_csv());
}

TEST_CASE("a shard that is killed is finished by the same command") {
  PtxlatProgram program;
  program.require_tools();
  const auto child = program.start(with({"run", "--shard", "2/3", "--store", "2.sqlite", "--threads", "1"}, few_forms));
  signal_in_mid_run(program, child, SIGKILL);
  CHECK(program.wait_for(child).status == 128 + SIGKILL);
  for (const std::string number : {"1", "2", "3"}) REQUIRE(run_shard(program, number).status == 0);
  CHECK(program.run({"merge", "1.sqlite", "2.sqlite", "3.sqlite", "--into", "all.sqlite"}).status == 0);
  CHECK(program.csv() == whole_csv());
}

TEST_CASE("one store can get all shards, one after another") {
  PtxlatProgram program;
  program.require_tools();
  for (const std::string number : {"1", "2", "3"}) {
    const auto once = program.run(with({"run", "--shard", number + "/3"}, few_forms));
    REQUIRE(once.status == 0);
    CHECK(says(once, "contains only shard") == (number != "3"));
  }
  CHECK(program.csv() == whole_csv());
}

TEST_CASE("cells that two runs measured differently are reported, and the later run's are kept") {
  PtxlatProgram program;
  program.require_tools();
  std::ofstream(program.folder() / "script.toml")
      << "rule = [{kernel = \"^(chain_twice|differential)_add_u32\", cycles = 900}]\n";
  REQUIRE(program.run(with({"run", "--store", "first.sqlite"}, few_forms)).status == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // a run's start has a resolution of a second
  program.set("PTXLAT_STANDIN_SCRIPT", (program.folder() / "script.toml").string());
  REQUIRE(program.run(with({"run", "--store", "second.sqlite"}, few_forms)).status == 0);
  const auto later = program.csv();
  REQUIRE(later != whole_csv());
  const auto ended = program.run({"merge", "second.sqlite", "first.sqlite", "--into", "all.sqlite"});
  REQUIRE(ended.status == 0);
  CHECK(says(ended, "cells with results that contradict each other"));
  CHECK(says(ended, "add.u32 a  O3: kept "));
  CHECK(program.csv() == later);
}

TEST_CASE("the bundle of a shard gives the shard, and a whole bundle any") {
  PtxlatProgram program;
  program.require_tools();
  const Arguments forms{"--filter", "/^sub\\.[us]32/", "-O", "0,3"}, quiet{"--format", "none", "--repeat", "0"};
  REQUIRE(program.run(with({"assemble", "-o", "whole.bundle"}, forms)).status == 0);
  REQUIRE(program.run(with({"run", "--bundle", "whole.bundle", "--tables", "whole"}, quiet)).status == 0);
  for (const std::string number : {"1", "2"}) {
    REQUIRE(program.run(with({"assemble", "--shard", number + "/2", "-o", number + ".bundle"}, forms)).status == 0);
    for (const std::string kind : {"own", "part"}) {
      auto arguments = with({"run", "--store", kind + number + ".sqlite", "--replace", "--bundle"}, quiet);
      arguments.insert(arguments.begin() + 5, kind == "own" ? number + ".bundle" : "whole.bundle");
      if (kind == "part") arguments = with(arguments, {"--shard", number + "/2"});
      REQUIRE(program.run(arguments).status == 0);
    }
  }
  CHECK(program.run(with({"run", "--bundle", "1.bundle", "--shard", "2/2"}, quiet)).status == 4);
  const auto csv_in = [&](const std::string& tables) {
    const auto folder = program.folder() / tables / "sm_90/stand-in-h200";
    return content_of(std::filesystem::directory_iterator(folder)->path() / "latency.csv");
  };
  for (const std::string kind : {"own", "part"}) {
    REQUIRE(program.run({"merge", kind + "1.sqlite", kind + "2.sqlite", "--into", kind + ".sqlite", "--tables", kind})
                .status == 0);
    CHECK(csv_in(kind) == csv_in("whole"));
  }
}

TEST_CASE("static tables have shards, too") {
  PtxlatProgram program;
  program.require_tools();
  const Arguments forms{"--filter", "/^sub\\.[us]32/", "-O", "3", "--format", "none"};
  REQUIRE(program.run(with({"static", "--tables", "whole", "--store", "whole.sqlite"}, forms)).status == 0);
  for (const std::string number : {"1", "2"})
    REQUIRE(program.run(with({"static", "--shard", number + "/2", "--store", number, "--replace"}, forms)).status == 0);
  REQUIRE(program.run({"merge", "1", "2", "--into", "all.sqlite"}).status == 0);
  const auto csv_in = [&](const std::string& tables) {
    const auto folder = program.folder() / tables / "sm_90a/static";
    return content_of(std::filesystem::directory_iterator(folder)->path() / "latency.csv");
  };
  CHECK(csv_in("ptxlat-tables") == csv_in("whole"));
}

TEST_CASE("a malformed shard, and a merge of a file that is not a store, end with the documented codes") {
  const PtxlatProgram program;
  for (const std::string shard : {"0/3", "4/3", "3", "a/b"}) {
    const auto ended = program.run({"run", "--shard", shard});
    CHECK(ended.status == 2);
    CHECK(says(ended, "is not a shard"));
  }
  CHECK(program.run({"merge", "--into", "all.sqlite"}).status == 2);
  CHECK(program.run({"merge", "nothing.sqlite", "--into", "all.sqlite"}).status == 7);
  std::ofstream(program.folder() / "foreign") << std::string(2000, 'x');
  CHECK(program.run({"merge", "foreign", "--into", "all.sqlite"}).status == 7);
  CHECK_FALSE(std::filesystem::exists(program.folder() / "all.sqlite"));
}
