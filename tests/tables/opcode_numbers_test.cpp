// SPDX-License-Identifier: Apache-2.0

// Throughputs and pipes of a latency table's rows, and what differs between two runs of `opcodes`.
#include "tables/opcode_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "../results/test_folder.h"
#include "base/file.h"
#include "catch.h"
#include "compare/compare_opcodes.h"
#include "compare/compare_write.h"
#include "sass/opcodes.h"
#include "tables/compression.h"
#include "tables/folder.h"
#include "tables/opcode_files.h"

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::tables;

namespace {

results::Opcode opcode(const std::string& name, const std::string& pipe, double throughput) {
  results::Opcode line;
  line.name = name;
  line.pipe = pipe;
  line.unit = "results";
  line.throughput = throughput;
  line.saturates_at = 4;
  return line;
}

FormThroughput form(const std::string& ptx, const std::string& sass, double throughput, const std::string& alone = "") {
  FormThroughput made;
  made.ptx = ptx;
  made.opcode = alone;
  made.unit = "results";
  made.sass = sass;
  made.level = 3;
  made.throughput = throughput;
  return made;
}

template <class Row>
std::string names_line(const Columns<Row>& columns) {
  return fmt::format("{}", fmt::join(names_of(columns), ","));
}

const OpcodeNumbers numbers{{opcode("IADD3", "alu", 64), opcode("IMAD", "fma", 64), opcode("POPC", "xu", 16)},
                            {form("add.u32", "IADD3", 64, "IADD3"), form("add.u32", "IADD3|IMAD.IADD", 128)}};

}  // namespace

// A few copies more without a loop once made it 128 results per cycle for code of 17 instructions.
TEST_CASE("no committed throughput of code without branches is more than an SM issues") {
  constexpr double issued_by_sm = 4, lanes = 32, error = 1.02;
  for (const char* gpu : {"nvidia-h200", "nvidia-h100-80gb-hbm3"}) {
    const auto folder = std::filesystem::path(PTXLAT_SOURCE_DIR) / "tables/sm_90" / gpu / "driver-580.159.04";
    const auto forms = read_table(folder, {Part::opcodes, Part::throughputs}).opcodes.forms;
    std::set<std::string> in_turn;  // a copy of these is one of two opcodes
    for (const auto& form : forms) {
      if (!form.opcode.empty()) in_turn.insert(form.ptx);
    }
    int checked = 0;
    for (const auto& form : forms) {
      const auto opcodes = words_in(form.sass, ";|");
      const bool may_branch = std::any_of(opcodes.begin(), opcodes.end(), [](const std::string& opcode) {
        return sass::has(opcode, sass::Trait::leaves) || opcode.starts_with("BSSY");
      });
      if (!form.throughput || may_branch || form.unit == "warpgroup instructions") continue;
      const double instructions = in_turn.contains(form.ptx) ? 1 : static_cast<double>(opcodes.size());
      INFO(gpu << " " << form.ptx << ": " << *form.throughput << " " << form.unit << " of " << instructions);
      CHECK(*form.throughput * instructions / (form.unit == "results" ? lanes : 1) <= error * issued_by_sm);
      ++checked;
    }
    CHECK(checked > 2000);
  }
}

TEST_CASE("an opcode without a line has the pipe of its family, if that has one") {
  const Pipes pipes({opcode("MUFU.RCP", "xu", 16), opcode("MUFU.EX2", "xu", 16), opcode("MUFU.TANH", "", 16),
                     opcode("HADD2", "fma", 64), opcode("HADD2.F32", "alu", 64)});
  CHECK(pipes.of("MUFU.SQRT") == "xu");
  CHECK(pipes.of("MUFU.TANH") == "xu");
  CHECK(pipes.of("HADD2") == "fma");
  CHECK(pipes.of("HADD2.BF16").empty());
  CHECK(pipes.of("POPC").empty());
}

TEST_CASE("a spelling has its own throughput, else that of the row it shares, else that of its opcode alone") {
  const RowThroughputs rows(numbers, {{"add.s32", 3, "add.u32", ""}});
  const auto own = rows.of("add.u32", {1, 2, 3}, {"IADD3"});
  CHECK(own.throughput == 128);  // of both in turn
  CHECK(own.pipe == "alu+fma");
  CHECK(rows.of("add.s32", {3}, {"IADD3"}).throughput == 128);
  // At a level whose code was not measured, the opcode itself.
  CHECK(rows.of("add.u32", {0}, {"IADD3"}).throughput == 64);
  CHECK(rows.of("popc.b32", {0}, {"POPC"}).throughput == 16);
  const auto longer = rows.of("x", {3}, {"POPC", "IMAD.WIDE"});
  CHECK_FALSE(longer.throughput);
  CHECK(longer.pipe == "fma+xu");
}

TEST_CASE("a spelling whose rate in one SM is not known has that of the GPU, and says so") {
  auto lines = form("atom.a", "ATOMG", 300), line = form("atom.a", "ATOMG", 8), other = form("atom.b", "ATOMG", 300);
  lines.pattern = other.pattern = "own lines";
  line.pattern = "one line";
  const RowThroughputs rows({{}, {lines, line, other, form("atom.b", "ATOMG", 5.5)}}, {});
  CHECK(rows.of("atom.a", {3}, {"ATOMG"}).throughput == 300);
  CHECK(per_cycle(rows.of("atom.a", {3}, {"ATOMG"})) == "results per cycle of the GPU (own lines)");
  CHECK(rows.of("atom.b", {3}, {"ATOMG"}).throughput == 5.5);
  CHECK(per_cycle(rows.of("atom.b", {3}, {"ATOMG"})) == "results per cycle and SM");
}

TEST_CASE("a spelling has the throughput of its own machine code, wherever its latencies are") {
  OpcodeNumbers of_codes{{opcode("LDG.E", "lsu", 1)},
                         {form("ld.a", "LDG.E", 64), form("ld.b", "LDG.E", 32)},
                         {{"ld.a", 3, "ld.a", ""},
                          {"ld.b", 3, "ld.b", ""},
                          {"ld.b.x", 3, "ld.b", ""},
                          {"ld.a.y", 3, "ld.a", ""},
                          {"ld.none", 3, "", "unsupported", "needs sm_100"}}};
  // The latency table's rows are those of forms that share theirs here, or are not here at all.
  const RowThroughputs rows(of_codes, {{"ld.b", 3, "ld.a", ""},
                                       {"ld.b.x", 3, "ld.a.y", ""},
                                       {"ld.a.y", 3, "ld.a.y", ""},
                                       {"ld.z", 3, "ld.b.x", ""},
                                       {"ld.none", 3, "ld.none", ""}});
  CHECK(rows.of("ld.b", {3}, {"LDG.E"}).throughput == 32);
  CHECK(rows.of("ld.b.x", {3}, {"LDG.E"}).throughput == 32);
  CHECK(rows.of("ld.a.y", {3}, {"LDG.E"}).throughput == 64);
  CHECK(rows.of("ld.z", {3}, {"LDG.E"}).throughput == 32);
  CHECK(rows.of("ld.none", {3}, {"LDG.E"}).throughput == 1);  // as any code of one opcode
  CHECK_FALSE(rows.of("ld.none", {3}, {"LDG.E", "LDG.E"}).throughput);
  CHECK_FALSE(rows.of("ld.b.x", {2}, {"LDG.E.U8"}).throughput);
}

TEST_CASE("the numbers of a folder are those of its files, and a damaged one is named") {
  const TestFolder folder;
  CHECK(read_table(folder.path, {Part::opcodes, Part::throughputs}).opcodes.opcodes.empty());
  replace_file(folder.path / opcodes_name,
               names_line(opcode_columns()) + "\nPOPC,xu,xu,POPC,16,results,,,8,4,,,17,,15,,1,,,popc.b32,\n");
  replace_file(folder.path / throughput_name, gzip(names_line(form_throughput_columns()) +
                                                   "\npopc.b64,,,O3,,8,,,results,,,16,8,POPC;POPC;IADD3,3,proven,\n"));
  const auto read = read_table(folder.path, {Part::opcodes, Part::throughputs}).opcodes;
  REQUIRE(read.opcodes.size() == 1);
  CHECK(read.opcodes.front().hazard == 15);
  CHECK(read.spellings.empty());
  REQUIRE(read.forms.size() == 1);
  CHECK(read.forms.front().sass == "POPC;POPC;IADD3");
  replace_file(folder.path / throughput_forms_name, gzip("ptx,opt,row,reason,note\npopc.b64.x,O3,popc.b64,,\n"));
  CHECK(read_table(folder.path, {Part::opcodes, Part::throughputs}).opcodes.spellings ==
        std::vector<Spelling>{{"popc.b64.x", 3, "popc.b64", ""}});
  replace_file(folder.path / throughput_forms_name, gzip("ptx,opt,row\npopc.b64.x,O3,popc.b64\n"));
  CHECK_THROWS_WITH(read_table(folder.path, {Part::opcodes, Part::throughputs}).opcodes,
                    Catch::Matchers::Contains(throughput_forms_name));
  std::filesystem::remove(folder.path / throughput_forms_name);
  replace_file(folder.path / throughput_name,
               gzip(names_line(form_throughput_columns()) + "\npopc.b64,,,O3,,many,,,results,,,16,8,POPC,1,proven,\n"));
  CHECK_THROWS_WITH(read_table(folder.path, {Part::opcodes, Part::throughputs}).opcodes,
                    Catch::Matchers::Contains("throughput.csv.gz:2: not a number: many"));
}

TEST_CASE("two runs agree on pipes by name, and on throughputs within one percent") {
  auto other = numbers;
  other.opcodes[0].throughput = 64.5;
  other.opcodes[1].throughput = 60;
  other.opcodes[2].pipe = "alu";
  other.opcodes.push_back(opcode("BREV", "xu", 16));
  other.forms[1].throughput = 127;
  const auto comparison = compare_opcodes(numbers, other);
  REQUIRE(comparison.rows.size() == 2);
  CHECK(comparison.rows[0].subject == "POPC");
  CHECK(comparison.rows[0].quantity == "pipe");
  CHECK(comparison.rows[1].subject == "IMAD");
  CHECK(comparison.rows[1].change() == -4);
  CHECK(comparison.only_in_b == std::vector<std::string>{"BREV"});
  Comparison written;
  written.opcodes = comparison;
  const auto equal_of = [&](const std::string& quantity) {
    const auto& all = comparison.agreements;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.quantity == quantity; });
    REQUIRE(found != all.end());
    return std::pair(found->equal, found->compared);
  };
  CHECK(equal_of("pipe") == std::pair<std::size_t, std::size_t>(2, 3));
  CHECK(equal_of("throughput") == std::pair<std::size_t, std::size_t>(2, 3));
  CHECK(equal_of(compare::form_throughput) == std::pair<std::size_t, std::size_t>(2, 2));
  std::ostringstream csv;
  write_opcodes_csv(csv, {{{written}, {}}});
  CHECK_THAT(csv.str(), Catch::Matchers::Contains(",IMAD,throughput,64,60,-4,0.9375\n"));
  CHECK(opcodes_json(comparison)["agreements"]["pipe"]["equal"] == 2);
}

TEST_CASE("rates of the GPU agree if the ranges of their launches overlap, by pattern") {
  const auto of_gpu = [](const char* pattern, double rate, double low, double high) {
    auto made = form("red.a", "REDG", rate);
    made.pattern = pattern;
    made.low = low;
    made.high = high;
    return made;
  };
  const OpcodeNumbers a{{}, {of_gpu("own lines", 300, 280, 320), of_gpu("one line", 8, 7, 9)}};
  const OpcodeNumbers b{{}, {of_gpu("own lines", 340, 315, 360), of_gpu("one line", 12, 10, 13)}};
  const auto comparison = compare_opcodes(a, b);
  REQUIRE(comparison.agreements.size() == 1);
  CHECK(comparison.agreements.front().quantity == compare::gpu_throughput);
  CHECK(comparison.agreements.front().equal == 1);
  CHECK(comparison.agreements.front().compared == 2);
  REQUIRE(comparison.rows.size() == 1);
  CHECK(comparison.rows.front().subject == "red.a (one line) at -O3");
}

TEST_CASE("throughputs of forms are compared by spelling: the row of the same code need not be the same form's") {
  auto a = numbers, b = numbers;
  b.forms[1].ptx = "sub.u32";
  b.forms[1].throughput = 64;
  a.spellings = {{"x.b64", 3, "add.u32", ""}};
  b.spellings = {{"x.b64", 3, "sub.u32", ""}};
  const auto rows = compare_opcodes(a, b).rows;
  CHECK(std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.subject == "x.b64 at -O3"; }));
}

TEST_CASE("a page names twenty of the opcodes that only one table has") {
  auto other = numbers;
  for (int i = 0; i < 3000; ++i) other.opcodes.push_back(opcode(fmt::format("X{}", i), "alu", 16));
  std::ostringstream text;
  Page page(text, {});
  write_opcodes_section(page, compare_opcodes(numbers, other));
  CHECK_THAT(text.str(),
             Catch::Matchers::Contains("3000 only in B: X0, ") && Catch::Matchers::Contains("X19 and 2980 more"));
}
