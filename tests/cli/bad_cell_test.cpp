// SPDX-License-Identifier: Apache-2.0

// A fault that one instruction causes on the GPU or in the assembler only costs its own cells.
#include <algorithm>
#include <map>

#include "ptxlat_program.h"
#include "tables/table.h"

using namespace ptxlat;

namespace {

constexpr char video[] = R"(
chapter = "video"
section = "9.7.13"

[[op]]
name       = "vadd1"
syntax     = "vadd1.u32.u32.u32 {d:u32}, {a:u32}, {b:u32}"
around = "vadd.u32.u32.u32 {d}, {a}, {b};"
dependence = ["a"]

[[op]]
name       = "vsub1"
syntax     = "vsub1.u32.u32.u32 {d:u32}, {a:u32}, {b:u32}"
around = "vsub.u32.u32.u32 {d}, {a}, {b};"
dependence = ["a"]
)";

// Runs the two forms of the user's catalogue between three that behave, one level, and returns verdicts and notes.
std::map<std::string, results::Record> run_with_neighbours(PtxlatProgram& program) {
  const auto mine = program.write_catalogue(video);
  const auto ended = program.run({"run", "--filter", "/^(add.u32|popc.b32|fma.rn.f32|vadd1.*|vsub1.*)$/", "--catalogue",
                                  mine.string(), "-O", "3", "--repeat", "0", "--launches", "3"});
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  std::map<std::string, results::Record> cells;
  for (auto& cell : records_in(program.table())) {
    const bool is_neighbour = !cell.ptx.starts_with('v');
    INFO(cell.ptx << ": " << cell.note);
    if (is_neighbour) CHECK(cell.verdict == sass::Verdict::proven);
    if (is_neighbour) CHECK(cell.number(results::metric::cycles));
    cells[cell.ptx] = std::move(cell);
  }
  CHECK(cells.size() == 5);
  return cells;
}

}  // namespace

TEST_CASE("an entry that faults only costs its own cell, whose verdict has the driver's message") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_STANDIN_FAULT", "vadd1");
  const auto cells = run_with_neighbours(program);
  const auto& faulty = cells.at("vadd1.u32.u32.u32");
  CHECK(faulty.verdict == sass::Verdict::fault);
  CHECK_FALSE(faulty.number(results::metric::cycles));
  CHECK(faulty.note.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
  CHECK(cells.at("vsub1.u32.u32.u32").verdict == sass::Verdict::proven);
  const std::string promise = " of these met a fault, a hang or a failed tool, and are made again next time";
  CHECK(content_of(program.folder() / "err").find("\n1" + promise) != std::string::npos);

  // The same command measures it again, and shows it once, as it is now.
  program.unset("PTXLAT_STANDIN_FAULT");
  const auto again = run_with_neighbours(program);
  CHECK(content_of(program.folder() / "err").find(promise) == std::string::npos);
  CHECK(again.at("vadd1.u32.u32.u32").verdict == sass::Verdict::proven);
  const auto shown = lines_of(program.folder() / "out");
  CHECK(std::count_if(shown.begin(), shown.end(), [](const auto& line) { return line.starts_with("vadd1."); }) == 1);
  CHECK(shown.back().find("fault") == std::string::npos);
}

TEST_CASE("an entry that never ends costs its own cell") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_STANDIN_HANG", "vsub1");
  program.set("PTXLAT_DEADLINE_FACTOR", "1");  // of 5 s, for a moment's work of those that do end
  const auto cells = run_with_neighbours(program);
  const auto& hanging = cells.at("vsub1.u32.u32.u32");
  CHECK(hanging.verdict == sass::Verdict::timeout);
  CHECK_FALSE(hanging.number(results::metric::cycles));
  CHECK(hanging.note.find("did not finish within") != std::string::npos);
  CHECK(cells.at("vadd1.u32.u32.u32").verdict == sass::Verdict::proven);
}

TEST_CASE("an entry that crashes the driver's compiler costs its own cell") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_STANDIN_CRASH_JIT", "vadd.u32");
  const auto cells = run_with_neighbours(program);
  const auto& crashing = cells.at("vadd1.u32.u32.u32");
  CHECK(crashing.verdict == sass::Verdict::rejected);
  CHECK_FALSE(crashing.number(results::metric::cycles));
  CHECK_FALSE(crashing.note.empty());
  CHECK(crashing.has_flag(results::flag::retry));
  program.set("PTXLAT_STANDIN_CRASH_JIT", "nothing");
  CHECK(run_with_neighbours(program).at("vadd1.u32.u32.u32").verdict == sass::Verdict::proven);
  CHECK(cells.at("vsub1.u32.u32.u32").verdict == sass::Verdict::proven);
}

TEST_CASE("an entry that the assembler rejects costs its own cell, and its words are kept") {
  PtxlatProgram program;
  program.require_tools();
  const auto mine = program.write_catalogue(R"(
chapter = "invented"
section = "0"

[[op]]
name   = "frobnicate"
syntax = "frobnicate.u32 {d:u32}, {a:u32}"
)");
  const auto ended = program.run({"run", "--filter", "frobnicate", "--filter", "add.u32", "--catalogue", mine.string(),
                                  "-O", "0,3", "--repeat", "0"});
  REQUIRE(ended.status == 0);
  for (const auto& cell : records_in(program.table())) {
    INFO(cell.ptx << ": " << cell.note);
    CHECK(cell.verdict == (cell.ptx == "add.u32" ? sass::Verdict::proven : sass::Verdict::rejected));
    if (cell.ptx == "frobnicate.u32") CHECK(cell.note.find("frobnicate") != std::string::npos);
  }
}

TEST_CASE("a form that this PTX version or target lacks is unsupported, with what it needs") {
  PtxlatProgram program;
  program.require_tools();
  const auto mine = program.write_catalogue(R"(
chapter = "later"
section = "0"

[[op]]
name   = "vadd1"
syntax = "vadd1.u32.u32.u32 {d:u32}, {a:u32}, {b:u32}"
around = "vadd.u32.u32.u32 {d}, {a}, {b};"
target = "sm_100a"
)");
  REQUIRE(program.run({"run", "--filter", "vadd1", "--catalogue", mine.string(), "-O", "3"}).status == 0);
  for (const auto& cell : records_in(program.table())) {
    CHECK(cell.verdict == sass::Verdict::unsupported);
    CHECK(cell.note == "needs sm_100a");
  }
}
