// SPDX-License-Identifier: Apache-2.0

// `ptxlat compare` as its users call it: what it accepts as tables, what it writes where, and its exit codes.
#include <chrono>
#include <nlohmann/json.hpp>

#include "../tables/cells.h"
#include "base/environment.h"
#include "base/file.h"
#include "ptxlat_program.h"
#include "tables/compression.h"
#include "tables/folder.h"
#include "tables/probe_files.h"
#include "text.h"

using namespace ptxlat;

namespace {

// tables/<name> of two levels, in the program's folder; add.u32 at -O3 takes `cycles`.
void write_table_of(const PtxlatProgram& program, const std::string& toolchain, double cycles) {
  results::Run run = run_of();
  run.toolchain = toolchain;
  run.table = "sm_90/static/" + toolchain;
  tables::write_table(program.folder() / "tables",
                      tables::table_from(run, {},
                                         {cell_of("add.u32", 0, 15, "IADD3"), cell_of("add.u32", 3, cycles, "IADD3"),
                                          cell_of("sub.u32", 0, 15, "IADD3"), cell_of("sub.u32", 3, 4, "IADD3")}));
}

}  // namespace

TEST_CASE("compare takes folders, globs and levels, and writes nothing but data to standard output") {
  const PtxlatProgram program;
  write_table_of(program, "ptxas-9.2.1", 4);
  write_table_of(program, "ptxas-11.8.89", 5);
  write_table_of(program, "ptxas-13.0.88", 6);
  const std::string below = "tables/sm_90/static/";

  const auto two = program.run({"compare", below + "ptxas-9.2.1", below + "ptxas-13.0.88"});
  CHECK(two.status == 0);
  CHECK(two.err.empty());
  CHECK(has(two.out, "A: ptxas-9.2.1  tables/sm_90/static/ptxas-9.2.1\n"));
  CHECK(has(two.out, "4 rows compared, 3 unchanged, 1 different schedule\n"));
  CHECK(has(two.out, "4 → 6"));

  const auto all = program.run({"compare", below + "ptxas-*", "-O", "3"});
  CHECK(all.status == 0);
  CHECK(has(all.out, "2 rows compared"));
  CHECK(has(all.out, "ptxas-11.8.89: different schedule; ptxas-13.0.88: different schedule\n"));
  CHECK(program.run({"compare", "tables", "--by", "toolchain", "-O", "3"}).out == all.out);
  CHECK(program.run({"compare", "-O", "3", below + "ptxas-*"}).out == all.out);

  const auto levels = program.run({"compare", below + "ptxas-9.2.1"});
  CHECK(levels.status == 0);
  CHECK(has(levels.out, "A: O0  "));
  CHECK(has(levels.out, "15 → 4"));
  CHECK(program.run({"compare", below + "ptxas-9.2.1@O0", below + "ptxas-9.2.1@O3"}).out == levels.out);

  const auto json = program.run({"compare", below + "ptxas-9.2.1", below + "ptxas-13.0.88", "--format", "json"});
  CHECK(nlohmann::json::parse(json.out).at("comparisons").at(0).at("rows").size() == 1);
  const auto csv = program.run({"compare", below + "ptxas-9.2.1", below + "ptxas-13.0.88", "--format", "csv"});
  CHECK(csv.out.starts_with("a,b,ptx,"));
  const auto markdown =
      program.run({"compare", below + "ptxas-9.2.1", below + "ptxas-13.0.88", "--format", "markdown"});
  CHECK(markdown.out.starts_with("# ptxas-13.0.88 against ptxas-9.2.1\n"));
}

TEST_CASE("compare joins an older table, a row an operand and no measure, with one of merged rows") {
  const PtxlatProgram program;
  std::vector<results::Record> operands(3, cell_of("mad.lo.u32", 3, 5, "IMAD"));
  for (std::size_t i = 0; i < operands.size(); ++i) operands[i].operand = std::string(1, "abc"[i]);
  results::Run run = run_of();
  tables::write_table(program.folder() / "tables", tables::table_from(run, {}, operands));
  const auto now = "tables/" + run.table;
  CHECK(has(content_of(program.folder() / now / "latency.csv"), "mad.lo.u32,integer,a b c,random,O3,O3,5,"));
  CHECK(has(program.run({"show", "mad.lo.u32", "--table", now}).out, "O3  operand a b c, random: proven"));

  std::filesystem::create_directories(program.folder() / "older");
  std::ofstream older(program.folder() / "older/latency.csv");
  older << "ptx,chapter,operand,input,opt,cycles,differential,static,sass,sass_count,verdict,note\n";
  for (const char* row : {"a,random,O3,5,5,5", "b,random,O3,5,5,5", "c,random,O3,6,6,5"})
    older << "mad.lo.u32,integer," << row << ",IMAD,1,proven,\n";
  older.close();
  const auto compared = program.run({"compare", "older", now});
  CHECK(compared.status == 0);
  CHECK(has(compared.out, "3 rows compared, 2 unchanged, 1 same code\n"));
  const auto csv = program.run({"compare", now, "older", "--format", "csv"}).out;
  CHECK(has(csv, ",mad.lo.u32,integer,c,random,O3,O3,same_code,5,6,"));
}

TEST_CASE("--steps compares each table with the one before it, and a page is made of the csv") {
  const PtxlatProgram program;
  write_table_of(program, "ptxas-11.8.89", 4);
  write_table_of(program, "ptxas-12.4.131", 6);
  write_table_of(program, "ptxas-13.0.88", 8);
  const auto rows = program.run({"compare", "tables/sm_90/static", "--steps", "--format", "csv"}).out;
  CHECK(has(rows, "\nptxas-11.8.89,ptxas-12.4.131,"));
  CHECK(has(rows, "\nptxas-12.4.131,ptxas-13.0.88,"));
  CHECK_FALSE(has(rows, "\nptxas-11.8.89,ptxas-13.0.88,"));
  replace_file(program.folder() / "rows.csv.gz", tables::gzip(rows));
  const auto page = (program.folder() / "page.md").string();
  const auto command = fmt::format("{}/tools/findings.py '{}' > '{}'", PTXLAT_SOURCE_DIR,
                                   (program.folder() / "rows.csv.gz").string(), page);
  REQUIRE(std::system(command.c_str()) == 0);
  const auto text = read_file(page);
  CHECK(text.starts_with("# From ptxas-11.8.89 to ptxas-13.0.88\n"));
  CHECK(has(text, "## ptxas-12.4.131, after ptxas-11.8.89\n"));
  CHECK(has(text, "**4 → 6 cycles**"));
}

TEST_CASE("compare ends with 8 only if requested and something changed by at least the threshold") {
  const PtxlatProgram program;
  write_table_of(program, "ptxas-11.8.89", 4);
  write_table_of(program, "ptxas-13.0.88", 6);
  const std::string a = "tables/sm_90/static/ptxas-11.8.89", b = "tables/sm_90/static/ptxas-13.0.88";
  CHECK(program.run({"compare", a, b}).status == 0);
  const auto changed = program.run({"compare", a, b, "--fail-on-change"});
  CHECK(changed.status == 8);
  CHECK(has(changed.out, "4 → 6"));
  CHECK(program.run({"compare", "--fail-on-change", a, b}).status == 8);
  CHECK(program.run({"compare", "--fail-on-change", a, a}).status == 0);
  CHECK(program.run({"compare", a, b, "--fail-on-change=2"}).status == 8);
  CHECK(program.run({"compare", a, b, "--fail-on-change=2.5"}).status == 0);
  CHECK(program.run({"compare", a, b, "--fail-on-change=much"}).status == 2);
  CHECK(program.run({"compare", a, b, "--by", "weather"}).status == 2);
}

TEST_CASE("compare names tables that it cannot compare with anything") {
  const PtxlatProgram program;
  write_table_of(program, "ptxas-13.0.88", 4);
  const auto lonely = program.run({"compare", "tables", "--by", "toolchain"});
  CHECK(lonely.status == 4);
  CHECK(has(lonely.err, "tables/sm_90/static/ptxas-13.0.88"));
  CHECK(lonely.out.empty());
  CHECK(program.run({"compare", "tables/none"}).status == 4);
  CHECK(program.run({"compare", "tables/sm_90/static/ptxas-13.0.88@O3"}).status == 4);
}

TEST_CASE("compare rejects a level that a table does not have, which would compare nothing and be content") {
  const PtxlatProgram program;
  write_table_of(program, "ptxas-13.0.88", 4);
  const std::string table = "tables/sm_90/static/ptxas-13.0.88";
  const std::vector<std::vector<std::string>> calls = {{"compare", table, table, "-O", "4"},
                                                       {"compare", table + "@O4", table},
                                                       {"compare", table + "@O0", table, "-O", "3"}};
  for (auto call : calls) {
    call.emplace_back("--fail-on-change");
    const auto rejected = program.run(call);
    CHECK(rejected.status == 4);
    CHECK(rejected.out.empty());
    CHECK(has(rejected.err, table + " has no rows at -O "));
  }
  CHECK(program.run({"compare", table, table, "--rows", "-1"}).status == 2);
}

TEST_CASE("two tables of 35000 rows are compared in about a second") {
  const PtxlatProgram program;
  for (const char* toolchain : {"ptxas-11.8.89", "ptxas-13.0.88"}) {
    const bool is_later = toolchain == std::string("ptxas-13.0.88");
    std::vector<results::Record> records;
    for (int i = 0; i < 35'000; ++i) {
      results::Record cell = cell_of("op" + std::to_string(i), 3, is_later && i % 10 == 0 ? 5 : 4, "IADD3");
      // Different code for each, with different registers on the other side: nothing is equal without being parsed.
      for (auto& instruction : cell.windows[0].sass) instruction.text += ", R" + std::to_string(i + is_later);
      records.push_back(std::move(cell));
    }
    results::Run run = run_of();
    run.toolchain = run.table = toolchain;
    tables::write_table(program.folder() / "tables", tables::table_from(run, {}, records));
  }
  const auto ended = program.run({"compare", "tables/ptxas-11.8.89", "tables/ptxas-13.0.88", "--rows", "10"});
  CHECK(has(ended.out, "35000 rows compared, 31500 unchanged, 3500 different schedule\n"));
  CHECK(ended.processor_time < scaled_deadline(std::chrono::seconds(5)));  // more with a sanitizer
}

TEST_CASE("a table is read without a second copy of its rows") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip("sanitizers need more memory");
#endif
  const PtxlatProgram program;
  std::string rows = "ptx,chapter,operand,input,opt,levels,cycles,measure,consumer,sass,sass_count,verdict,note\n";
  for (int i = 0; i < 100'000; ++i) rows += fmt::format("op{},C,a,default,O3,O3,4,dependent,add,IADD3,1,proven,\n", i);
  for (const std::string name : {"a", "b"}) {
    std::filesystem::create_directories(program.folder() / name);
    std::ofstream(program.folder() / name / "latency.csv") << rows;
  }
  const auto ended = program.run({"compare", "a", "b"});
  CHECK(has(ended.out, "100000 rows compared, 100000 unchanged"));
  CHECK(ended.peak_bytes < 300'000'000);  // 214 MB, and 417 with the copies
}

namespace {

// Probes of a card and nothing else, in tables/<card>.
void write_probes_of(const PtxlatProgram& program, const std::string& card, double latency) {
  results::Run run = run_of();
  run.id = 1;
  run.device = gpu::DeviceInfo{};
  run.device->name = run.device->uuid = card;
  results::Record probe;
  probe.kind = results::RecordKind::probe;
  probe.ptx = "chase";
  probe.run = 1;
  probe.facts = {{"chase.ca.l1", "", std::to_string(static_cast<int>(latency)), latency, latency, "cycles", "kind",
                  results::FactVerdict::inferred, "a fit"}};
  tables::write_probe_files(program.folder() / "tables" / card, {probe}, {run});
}

}  // namespace

TEST_CASE("compare tells which facts of two cards differ, also of those that have nothing but probes") {
  const PtxlatProgram program;
  write_probes_of(program, "H100", 32);
  write_probes_of(program, "H200", 33);
  const auto page = program.run({"compare", "tables/H100", "tables/H200"});
  CHECK(page.status == 0);
  CHECK(has(page.out, "Facts of the machine: 0 equal, 1 different value\n"));
  CHECK(has(page.out, "chase.ca.l1  32  33  +1 (×1.03)  cycles  different value  chase\n"));
  const auto csv = program.run({"compare", "tables/H100", "tables/H200", "--format", "facts"});
  CHECK(has(csv.out, "H100,H200,chase,chase.ca.l1,,other_value,32,33,"));
  CHECK(program.run({"compare", "tables/H100", "tables/H200", "--fail-on-change"}).status == 8);
  CHECK(program.run({"compare", "tables/H100", "tables/H200", "--fail-on-change=2"}).status == 0);
  CHECK(program.run({"compare", "tables/H100", "tables/H100", "--fail-on-change"}).status == 0);
}
