// SPDX-License-Identifier: Apache-2.0

// `ptxlat show --table`: everything that a table has about one form.
#include "../tables/cells.h"
#include "ptxlat_program.h"
#include "text.h"

using namespace ptxlat;

namespace {

std::string table_in(const PtxlatProgram& program) {
  results::Record add = cell_of("add.u32", 3, 4, "IADD3");
  give(add, results::metric::issue, 2);
  add.add_flag(results::flag::spread);
  add.measure = results::Measure::first_of_several;
  add.consumer = "xor.b32";
  tables::write_table(program.folder() / "tables", table_of({add, cell_of("add.s32", 3, 4, "IADD3")}));
  return "tables/" + run_of().table;
}

}  // namespace

TEST_CASE("show prints every number that the table has for a form, the windows behind it, and the machine code") {
  const PtxlatProgram program;
  const auto shown = program.run({"show", "add.u32", "--table", table_in(program)});
  CHECK(shown.status == 0);
  CHECK(has(shown.out, "cycles"));
  CHECK(has(shown.out, "4 cycles  from differential, differential base\n"));
  CHECK(has(shown.out, "2 cycles  from stream, stream twice\n"));
  CHECK(has(shown.out, "flags spread\n"));
  CHECK(has(shown.out, "measure first of several\n    consumer xor.b32\n"));
  CHECK(has(shown.out, "IADD3 R4, R5, R6"));
}

TEST_CASE("list --table has the number of every spelling, and the row that it comes from") {
  const PtxlatProgram program;
  auto core = cell_of("add.s32", 3, 4, "IADD3"), spelling = cell_of("add.u32", 3, 4, "IADD3");
  core.is_core = true;
  auto unsupported = cell_of("add.u64", 3, 4, "IADD3");
  take_numbers(unsupported);
  unsupported.verdict = sass::Verdict::unsupported;
  tables::write_table(program.folder() / "tables", table_of({core, spelling, unsupported}));
  const auto table = "tables/" + run_of().table;
  const auto text =
      program.run({"list", "--filter", "add.u32", "--filter", "add.s64", "--filter", "add.u64", "--table", table});
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Catch::Matchers::Matches("[^]*\nadd.u32 +a +random +4 [^\n]*IADD3 [^\n]*add.s32\n[^]*"));
  CHECK_THAT(text.out, Catch::Matchers::Matches("[^]*\nadd.s64 [^\n]*not in the table[^]*"));
  CHECK_THAT(text.out, Catch::Matchers::Matches("[^]*\nadd.u64 [^\n]*unsupported[^]*"));
  const auto csv = program.run({"list", "--filter", "add.u32", "--table", table, "--format", "csv"});
  CHECK(has(csv.out, "\nadd.u32,integer,a,random,O3,O3,4,"));
  const auto shown = program.run({"show", "add.u32", "--table", table});
  CHECK(has(shown.out, "the machine code is that of add.s32"));
  CHECK_FALSE(has(program.run({"show", "add.s32", "--table", table}).out, "is that of"));
}

TEST_CASE("show of a form that the table does not have is an unknown name, and prints nothing") {
  const PtxlatProgram program;
  const auto table = table_in(program);
  const auto other_form = program.run({"show", "add.s64", "--table", table});
  CHECK(other_form.status == 4);
  CHECK(other_form.out.empty());
  CHECK(has(other_form.err, "has no add.s64"));
  CHECK(has(other_form.err, "add.s32"));
  const auto other_level = program.run({"show", "add.u32", "--table", table, "-O", "0"});
  CHECK(other_level.status == 4);
  CHECK(other_level.out.empty());
  CHECK(has(other_level.err, "has no add.u32 at -O 0"));
}

namespace {

const std::string committed = PTXLAT_SOURCE_DIR "/tables/sm_90/nvidia-h200/driver-580.159.04";

}  // namespace

TEST_CASE("show and list have the throughput and pipe of a spelling, also of one that shares a row") {
  const PtxlatProgram program;
  const auto shown = program.run({"show", "popc.b32", "--table", committed});
  CHECK(has(shown.out, "throughput         16 results per cycle and SM, from 4 warps on\n    pipe xu\n"));
  const auto csv = program.run({"list", "--table", committed, "--filter", "/^add.u32$/", "--format", "csv"});
  CHECK(has(csv.out, ",verdict,note,throughput,unit,pattern,saturates_at,pipe\n"));
  CHECK_THAT(csv.out, Catch::Matchers::Matches("[^]*\nadd.u32,[^\n]*,O3,[^\n]*,64,results,,4,alu\n[^]*"));
}

TEST_CASE("show of a quantity gives each fact of it with its log, and the probe's machine code once") {
  const PtxlatProgram program;
  const auto shown = program.run({"show", "l1.ways", "--table", committed});
  CHECK(shown.status == 0);
  CHECK(has(shown.out, "l1.ways with carveout=200704\nvalue    106 count\n"));
  CHECK(has(shown.out, "l1.ways with carveout=167936\nvalue    170 count\n"));
  CHECK(has(shown.out, "logs/l1_carveout=167936.jsonl.zst"));
  CHECK(has(shown.out, "LDG.E"));
  CHECK(shown.out.find("offset  stall") == shown.out.rfind("offset  stall"));
}

TEST_CASE("show of a quantity takes a condition, and lists the available ones") {
  const PtxlatProgram program;
  const auto one = program.run({"show", "l1.ways", "carveout=167936", "--table", committed});
  CHECK(one.status == 0);
  CHECK(has(one.out, "170 count"));
  CHECK_FALSE(has(one.out, "106 count"));
  const auto none = program.run({"show", "l1.ways", "carveout=61", "--table", committed});
  CHECK(none.status == 4);
  CHECK(has(none.err, "carveout=167936; carveout=200704"));
  CHECK(program.run({"show", "chase", "bytes=4096", "--table", committed}).status == 4);
}

TEST_CASE("show helps with a misspelled quantity, and with the beginning of one") {
  const PtxlatProgram program;
  const auto misspelled = program.run({"show", "l1.line_byte", "--table", committed});
  CHECK(misspelled.status == 4);
  CHECK(misspelled.out.empty());
  CHECK(has(misspelled.err, "did you mean l1.line_bytes"));
  CHECK(has(program.run({"show", "add.u31"}).err, "add.u32"));
}

TEST_CASE("show gives the memory hierarchy of a committed table's facts, with the quantity behind each value") {
  PtxlatProgram program;
  const auto shown = program.run({"show", "memory", "--table", committed});
  CHECK(shown.status == 0);
  CHECK(has(shown.out, "L1 data cache\n"));
  CHECK(has(shown.out, " 128 B "));
  CHECK(has(shown.out, " l1.line_bytes\n"));
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) skip("no gnuplot on this machine");
  const auto drawn = program.run({"show", "memory", "--table", committed, "--plot", "plots"});
  CHECK(has(drawn.err, "plots/memory.svg\n"));
  CHECK(has(content_of(program.folder() / "plots/memory.svg"), "L1 data cache"));
}

TEST_CASE("show draws the series of a committed probe, and says what to install if there is no gnuplot") {
  PtxlatProgram program;
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) skip("no gnuplot on this machine");
  const auto drawn = program.run({"show", "chase", "--table", committed, "--plot", "plots"});
  CHECK(drawn.status == 0);
  CHECK(has(drawn.err, "plots/chase.svg\n"));
  const auto svg = content_of(program.folder() / "plots/chase.svg");
  CHECK(has(svg, "latency (cycles)"));
  CHECK(has(svg, "64 MiB"));
  const auto form = program.run({"show", "add.u32", "--table", committed, "--plot", "plots"});
  CHECK(form.status == 4);
  CHECK(has(form.err, "only these can be drawn"));
  program.set("PATH", "/nonexistent");
  CHECK(program.run({"probe", "chase", "--plot", "plots"}).status == 5);
  const auto missing = program.run({"show", "chase", "--table", committed, "--plot", "plots"});
  CHECK(missing.status == 5);
  CHECK(has(missing.err, "apt-get install gnuplot-nox"));
}
