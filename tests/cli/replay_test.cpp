// SPDX-License-Identifier: Apache-2.0

// Tables measured again, with the stand-in driver.
#include "ptxlat_program.h"
#include "text.h"

using namespace ptxlat;

namespace {

// A table of a few forms.
std::string measured(PtxlatProgram& program) {
  REQUIRE(program
              .run({"run", "--filter", "add.u32", "--filter", "popc.b32", "--filter", "ld.global.u32", "-O", "0,3",
                    "--repeat", "0"})
              .status == 0);
  return program.table().string();
}

// Threads hand their chunks to the GPU in any order.
std::vector<std::string> sorted_launches(const PtxlatProgram& program) {
  auto launches = lines_of(program.launch_log());
  std::sort(launches.begin(), launches.end());
  return launches;
}

void use_script(PtxlatProgram& program, const std::string& text) {
  std::ofstream(program.folder() / "script.toml") << text;
  program.set("PTXLAT_STANDIN_SCRIPT", (program.folder() / "script.toml").string());
}

}  // namespace

TEST_CASE("a table's rows hold on the machine that it was measured on") {
  PtxlatProgram program;
  program.require_tools();
  const auto table = measured(program);
  const auto all = program.run({"replay", table});
  CHECK(all.status == 0);
  CHECK(all.out == "11 of 11 rows hold, 0 differ, 0 have different machine code here, 0 are gone\n");
  // A sample is smaller, and the same for the same seed.
  std::filesystem::remove(program.launch_log());
  CHECK(program.run({"replay", table, "--sample", "2"}).out ==
        "2 of 2 rows hold, 0 differ, 0 have different machine code here, 0 are gone\n");
  const auto launched = sorted_launches(program);
  std::filesystem::remove(program.launch_log());
  program.run({"replay", table, "--sample", "2"});
  CHECK(sorted_launches(program) == launched);
}

TEST_CASE("a number that no longer holds is named, and the exit code is 8") {
  PtxlatProgram program;
  program.require_tools();
  const auto table = measured(program);
  use_script(program, "[[rule]]\nkernel = \"^(differential|chain_twice)_popc\"\ncycles = 400\n");
  const auto ended = program.run({"replay", table});
  INFO(ended.out);
  CHECK(ended.status == 8);
  CHECK(has(ended.out, "DIFFERS     popc.b32 a -O3: cycles "));
  CHECK_FALSE(has(ended.out, "add.u32"));
}

TEST_CASE("a cell that faults now is gone") {
  PtxlatProgram program;
  program.require_tools();
  const auto table = measured(program);
  program.set("PTXLAT_STANDIN_FAULT", "popc_b32");
  const auto ended = program.run({"replay", table});
  CHECK(ended.status == 8);
  CHECK(has(ended.out, "gone        popc.b32 a -O3: fault"));
}

TEST_CASE("machine code that is different here is distinguished from a number that differs") {
  PtxlatProgram program;
  program.require_tools();
  // The rows of level 0 as if they were of level 3, with the code of level 0.
  REQUIRE(program.run({"run", "--filter", "popc.b32", "-O", "0", "--repeat", "0"}).status == 0);
  const auto table = tables::read_table(program.table());
  auto records = records_in(program.table());
  for (auto& record : records) record.level = 3;
  tables::write_table(program.folder() / "wrong", tables::table_from(table.run, table.runs, records));
  const auto ended = program.run({"replay", (program.folder() / "wrong" / table.run.table).string()});
  CHECK(ended.status == 1);
  CHECK(has(ended.out, "new code    popc.b32 a -O3: in "));
  CHECK(has(ended.out, "0 of 1 rows hold, 0 differ, 1 have different machine code here"));
  CHECK(has(ended.err, "no row has the table's machine code here"));
}

TEST_CASE("a table that cannot be replayed says why") {
  PtxlatProgram program;
  program.require_tools();
  CHECK(program.run({"replay", "nothing"}).status == 4);
  REQUIRE(program.run({"static", "--filter", "popc.b32", "-O", "3"}).status == 0);
  const auto of_schedule =
      program.run({"replay", "ptxlat-tables/sm_90a/static/" +
                                 std::filesystem::directory_iterator(program.folder() / "ptxlat-tables/sm_90a/static")
                                     ->path()
                                     .filename()
                                     .string()});
  CHECK(of_schedule.status == 4);
  CHECK(has(of_schedule.err, "is a static table"));
  const auto table = measured(program);
  use_script(program, "[[device]]\nsm = 80\n");
  const auto another = program.run({"replay", table});
  CHECK(another.status == 6);
  CHECK(has(another.err, "this GPU is sm_80"));
}
