// SPDX-License-Identifier: Apache-2.0
#include "ptxlat_program.h"
#include "results/store.h"
#include "tables/folder.h"

using namespace ptxlat;

namespace {

const std::vector<std::string> few_forms{"run",      "--filter", "add.u32", "--filter", "fma.rn.f32", "--filter",
                                         "popc.b32", "-O",       "0,3",     "--repeat", "0.5"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("run writes the four files of a table, the csv with exactly the documented columns") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run(few_forms).status == 0);
  for (const char* file : {"latency.csv", "forms.csv.gz", "latency.md", "latency.jsonl.zst", "run.json"}) {
    INFO(file);
    CHECK(std::filesystem::file_size(program.table() / file) > 0);
  }
  const auto lines = lines_of(program.table() / "latency.csv");
  // Two levels of add (a, b), fma (a, b, c) and popc (a). Without optimisation chains lead, one for each operand; at
  // -O3 no chain of add is proven, and a and b are one row.
  REQUIRE(lines.size() == 1 + 2 * 6 - 1);
  CHECK(lines[0] ==
        "ptx,chapter,operand,input,opt,levels,cycles,measure,consumer,issue,bracket,overhead,differential,chain,static,"
        "min,median,p95,max,sass,sass_count,verdict,note");
  const auto is_merged = [](const std::string& line) {
    return line.starts_with("add.u32,integer arithmetic,a b,,O3,") &&
           line.find(",dependent,xor.b32,") != std::string::npos;
  };
  CHECK(std::count_if(lines.begin(), lines.end(), is_merged) == 1);
}

TEST_CASE("a table's provenance names the device, the toolchain, the command and the environment") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run(few_forms).status == 0);
  const auto table = tables::read_table(program.table());
  REQUIRE(table.run.device);
  CHECK(table.run.device->name == "Stand-in H200");
  CHECK(table.run.toolchain == "driver-0.0.standin");
  CHECK(table.run.kind == "measured");
  CHECK(table.run.command_line ==
        "ptxlat run --filter add.u32 --filter fma.rn.f32 --filter popc.b32 -O 0,3 --repeat 0.5");
  CHECK(table.run.environment.at("PTXLAT_LIBCUDA") == PTXLAT_TEST_LIBCUDA);
  CHECK_FALSE(table.run.started_utc.empty());
  CHECK_FALSE(table.run.finished_utc.empty());
}

TEST_CASE("measured equals static for fixed-latency code, and every number has its machine code") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program
              .run({"run", "--filter", "/^(add|sub|and|xor|shl)\\.[bu]32/", "--filter", "fma.rn.f32", "--filter",
                    "add.f32", "--filter", "add.f64", "--filter", "popc.b32", "-O", "1,3", "--repeat", "0.5"})
              .status == 0);
  int fixed = 0, bounded = 0;
  for (const auto& cell : records_in(program.table())) {
    INFO(cell.ptx << " " << cell.operand << " O" << cell.level << ": " << cell.note);
    CHECK(cell.verdict == sass::Verdict::proven);
    REQUIRE(cell.number(results::metric::cycles));
    REQUIRE(cell.number(results::metric::static_cycles));
    CHECK(cell.sass_count > 0);
    CHECK(cell.windows.size() >= 4);
    if (cell.note.find("lower bound") != std::string::npos) {
      CHECK(*cell.number(results::metric::cycles) > *cell.number(results::metric::static_cycles));
      ++bounded;
    } else {
      CHECK(*cell.number(results::metric::cycles) == *cell.number(results::metric::static_cycles));
      ++fixed;
    }
  }
  CHECK(fixed >= 2 * 10);
  CHECK(bounded == 2);  // popc
}

TEST_CASE("the same run again measures nothing and writes the same table") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run(few_forms).status == 0);
  const auto launches = lines_of(program.launch_log()).size();
  const auto csv = program.csv();
  CHECK(launches > 0);
  const auto again = program.run(few_forms);
  CHECK(again.status == 0);
  CHECK(lines_of(program.launch_log()).size() == launches);
  CHECK(again.err.find("12 of 12 cells are already in ptxlat.sqlite") != std::string::npos);
  CHECK(program.csv() == csv);
}

TEST_CASE("a run that measures nothing leaves the table with the provenance of the run that did") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run(few_forms).status == 0);
  const auto made = tables::read_table(program.table()).run;
  CHECK(made.station_seconds.contains("wall"));
  auto again = few_forms;
  again.push_back("--brief");
  REQUIRE(program.run(again).status == 0);
  const auto kept = tables::read_table(program.table()).run;
  CHECK(kept.command_line == made.command_line);
  CHECK(kept.started_utc == made.started_utc);
  CHECK(kept.finished_utc == made.finished_utc);
  CHECK(kept.station_seconds == made.station_seconds);
}

TEST_CASE("a table whose run was killed before its end has the provenance of the run that wrote it") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run(few_forms).status == 0);
  auto killed = tables::read_table(program.table()).run;
  killed.started_utc = "2026-01-01T00:00:00Z";
  killed.finished_utc.clear();
  killed.id = 0;
  results::Store(program.folder() / "ptxlat.sqlite").save_run(killed);
  REQUIRE(program.run(few_forms).status == 0);
  const auto provenance = tables::read_table(program.table()).run;
  CHECK(provenance.started_utc != killed.started_utc);
  CHECK_FALSE(provenance.finished_utc.empty());
}

TEST_CASE("a wider selection measures only what is new") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run({"run", "--filter", "add.u32", "-O", "3", "--repeat", "0"}).status == 0);
  std::filesystem::remove(program.launch_log());
  REQUIRE(program.run({"run", "--filter", "add.u32", "--filter", "popc.b32", "-O", "3", "--repeat", "0"}).status == 0);
  for (const auto& kernel : lines_of(program.launch_log()))
    CHECK((kernel == "sm_clock" || kernel.find("popc_b32") != std::string::npos));
  CHECK(lines_of(program.table() / "latency.csv").size() == 1 + 1 + 1);
}

TEST_CASE("standard output holds only data") {
  PtxlatProgram program;
  program.require_tools();
  const auto csv = program.run(with(few_forms, {"--format", "csv"})).out;
  CHECK(csv == program.csv());
  CHECK(program.run(with(few_forms, {"--format", "none"})).out.empty());
  const auto list = program.run({"list", "--filter", "add", "--format", "csv"});
  CHECK(list.out.starts_with("ptx,chapter,section,core,operands,inputs,needs\n"));
  CHECK(list.err.empty());
  CHECK(program.run({"list", "--filter", "add.u32"}).out ==
        "integer arithmetic\n  add.u32  9.7.1.1   a b        PTX 1.0\n");
}

TEST_CASE("a table is added to existing ones: store and tables go to the given places") {
  PtxlatProgram program;
  program.require_tools();
  const auto ended = program.run(
      {"run", "--filter", "add.u32", "-O", "3", "--repeat", "0", "--store", "elsewhere.db", "--tables", "deep/down"});
  CHECK(ended.status == 0);
  CHECK(std::filesystem::exists(program.folder() / "elsewhere.db"));
  CHECK(std::filesystem::exists(program.folder() / "deep/down/sm_90/stand-in-h200/driver-0.0.standin/latency.csv"));
  CHECK_FALSE(std::filesystem::exists(program.store()));
}

TEST_CASE("a catalogue folder of the user's own adds a form to list and run") {
  PtxlatProgram program;
  program.require_tools();
  const auto mine = program.write_catalogue(R"(
chapter = "video"
section = "9.7.13"

[[op]]
name   = "vadd1"
syntax = "vadd1.u32.u32.u32 {d:u32}, {a:u32}, {b:u32}"
around = "vadd.u32.u32.u32 {d}, {a}, {b};"
)");
  CHECK(program.run({"list", "--filter", "vadd1", "--catalogue", mine.string()}).out.find("vadd1.u32.u32.u32") !=
        std::string::npos);
  REQUIRE(
      program.run({"run", "--filter", "vadd1", "--catalogue", mine.string(), "-O", "3", "--repeat", "0.5"}).status ==
      0);
  const auto cells = records_in(program.table());
  std::string operands;
  for (const auto& cell : cells) {
    operands += cell.operand;
    CHECK(cell.ptx == "vadd1.u32.u32.u32");
    CHECK(cell.chapter == "video");
    CHECK(cell.verdict == sass::Verdict::proven);
    CHECK(cell.number(results::metric::cycles));
  }
  INFO("what the other operand needs is left out, and both paths take equally long: one row");
  CHECK(operands == "a b");
}

TEST_CASE("static and show make numbers without a driver") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_LIBCUDA", "/nonexistent/libcuda.so.1");
  REQUIRE(program.run({"static", "--filter", "add.u32", "-O", "3", "--format", "none"}).status == 0);
  const auto show = program.run({"show", "add.u32"});
  CHECK(show.status == 0);
  CHECK(show.out.find("CS2R") != std::string::npos);
  CHECK(show.out.find("proven") != std::string::npos);
  const auto doctor = program.run({"doctor"});
  CHECK(doctor.status == 0);
  CHECK(doctor.out.find("GPU         none") != std::string::npos);
}
