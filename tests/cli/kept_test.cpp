// SPDX-License-Identifier: Apache-2.0

// A table is not replaced by a smaller one without a question, and facts of two commands are in one file.
#include "base/file.h"
#include "ptxlat_program.h"
#include "results/store.h"
#include "tables/folder.h"
#include "tables/probe_files.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

using Arguments = std::vector<std::string>;

Ended make_static(const PtxlatProgram& program, const Arguments& more) {
  Arguments arguments{"static", "--target", "sm_90a", "-O", "3", "--format", "none"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return program.run(arguments);
}

// The only table below a folder.
fs::path table_below(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "run.json") return entry.path().parent_path();
  }
  FAIL("there is no table in " << folder);
  return {};
}

// The quantities of facts.csv, with their probes.
std::vector<std::string> facts_in(const fs::path& table) {
  std::vector<std::string> facts;
  for (const auto& record : tables::read_table(table, {tables::Part::probes}).probes) {
    for (const auto& fact : record.facts) facts.push_back(record.ptx + " " + fact.quantity);
  }
  std::sort(facts.begin(), facts.end());
  return facts;
}

}  // namespace

TEST_CASE("a table is not replaced by a smaller one without a question") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(make_static(program, {"--filter", "popc", "--filter", "clz", "--store", "first"}).status == 0);
  const auto table = table_below(program.folder() / "ptxlat-tables");
  const auto csv = content_of(table / "latency.csv"), run = content_of(table / "run.json");
  const auto is_kept = [&] {
    return content_of(table / "latency.csv") == csv && content_of(table / "run.json") == run;
  };

  // A store that has, or will have, a part of it: found before anything is assembled.
  const auto smaller = make_static(program, {"--filter", "popc", "--store", "second"});
  CHECK(smaller.status == 7);
  CHECK(says(smaller, "would lose 2, such as clz.b32 at O3"));
  CHECK(says(smaller, "--replace"));
  CHECK(results::Store(program.folder() / "second").newest_runs().empty());
  CHECK(is_kept());
  REQUIRE(make_static(program, {"--filter", "popc", "--store", "second", "--tables", "apart"}).status == 0);
  CHECK(program.run({"merge", "second", "--into", "third"}).status == 7);
  CHECK(make_static(program, {"--filter", "popc", "-O", "0", "--store", "fourth"}).status == 7);
  CHECK(is_kept());

  // The store of the table, one that will have as much, and the user's word.
  CHECK(make_static(program, {"--filter", "bfind", "--store", "first"}).status == 0);
  CHECK(make_static(program, {"--filter", "popc", "--filter", "clz", "--filter", "bfind", "--store", "fifth"}).status ==
        0);
  CHECK(make_static(program, {"--filter", "popc", "--store", "second", "--replace"}).status == 0);
  CHECK(tables::read_table(table).cells.size() == 2);
}

TEST_CASE("a table that cannot be read is not replaced without a question, unless its store is this one") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(make_static(program, {"--filter", "popc", "--store", "first"}).status == 0);
  const auto table = table_below(program.folder() / "ptxlat-tables");
  const auto rows = content_of(table / "latency.jsonl.zst");
  replace_file(table / "latency.jsonl.zst", rows.substr(0, rows.size() / 2));
  const auto damaged = make_static(program, {"--filter", "popc", "--store", "second"});
  CHECK(damaged.status == 7);
  CHECK(says(damaged, "it is not known what would be lost"));
  CHECK(make_static(program, {"--filter", "popc", "--store", "first"}).status == 0);
  CHECK(content_of(table / "latency.jsonl.zst") == rows);
  // As a run leaves it that is killed before it has written all files for the first time.
  fs::remove(table / "run.json");
  CHECK(make_static(program, {"--filter", "popc", "--store", "first"}).status == 0);
  CHECK(make_static(program, {"--filter", "popc", "--store", "third"}).status == 0);
}

TEST_CASE("opcodes and pairs are not replaced by fewer without a question") {
  PtxlatProgram program;
  program.require_tools();
  const auto [command, file] = GENERATE(std::pair("opcodes", "opcodes.csv"), std::pair("pairs", "pairs.csv"));
  const auto measure = [&, command = std::string(command)](const std::string& forms, const Arguments& more) {
    Arguments arguments{command, "--filter", forms, "--threads", "1", "--format", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return program.run(arguments);
  };
  REQUIRE(measure("/^(popc.b32|fma.rn.f32)$/", {}).status == 0);
  const auto whole = content_of(program.table() / file);
  const auto fewer = measure("/^popc.b32$/", {});
  CHECK(fewer.status == 7);
  CHECK(says(fewer, "such as fma.rn.f32 at O3"));
  CHECK(measure("/^popc.b32$/", {"--store", "other"}).status == 7);
  CHECK(content_of(program.table() / file) == whole);
  CHECK(measure("/^(popc.b32|fma.rn.f32)$/", {}).status == 0);
  CHECK(measure("/^popc.b32$/", {"--replace"}).status == 0);
  CHECK(content_of(program.table() / file) != whole);
}

TEST_CASE("facts of probes and of pairs stay, whichever command comes last, and with whichever store") {
  PtxlatProgram program;
  program.require_tools();
  const auto pairs = [&](const std::string& store) {
    REQUIRE(program.run({"pairs", "--filter", "/^popc.b32$/", "--threads", "1", "--format", "none", "--store", store})
                .status == 0);
  };
  const auto probe = [&](const std::string& name, const std::string& store) {
    REQUIRE(program.run({"probe", name, "--format", "none", "--store", store}).status == 0);
  };
  pairs("first");
  const auto of_pairs = facts_in(program.table());
  CHECK(std::count(of_pairs.begin(), of_pairs.end(), "registers scoreboard.release_cycles") == 1);
  probe("shared_banks", "first");
  const auto both = facts_in(program.table());
  CHECK(both.size() > of_pairs.size());
  CHECK(std::includes(both.begin(), both.end(), of_pairs.begin(), of_pairs.end()));
  CHECK(content_of(program.table() / "facts.csv").find("scoreboard.release_cycles") != std::string::npos);

  for (const char* store : {"first", "second"}) {
    INFO(store);
    pairs(store);
    CHECK(facts_in(program.table()) == both);
    probe("shared_banks", store);
    CHECK(facts_in(program.table()) == both);
  }
  // A third store has another probe only.
  probe("warps", "third");
  const auto more = facts_in(program.table());
  CHECK(std::includes(more.begin(), more.end(), both.begin(), both.end()));
  // Each record still names its run.
  const auto runs = tables::read_table(program.table(), {tables::Part::probes}).probe_runs;
  for (const auto& record : tables::read_table(program.table(), {tables::Part::probes}).probes) {
    CHECK(std::count_if(runs.begin(), runs.end(), [&](const auto& run) { return run.id == record.run; }) == 1);
  }
  // Reading again and merging have them, too.
  REQUIRE(program.run({"pairs", "--reread", program.table().string(), "--format", "none"}).status == 0);
  CHECK(facts_in(program.table()) == more);
  REQUIRE(program.run({"merge", "first", "second", "third", "--into", "all", "--tables", "merged"}).status == 0);
  CHECK(facts_in(program.folder() / "merged" /
                 program.table().lexically_relative(program.folder() / "ptxlat-tables")) == more);
}
