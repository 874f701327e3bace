// SPDX-License-Identifier: Apache-2.0
#include "pages/live_table.h"

#include <sstream>

#include "../tables/cells.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::pages;

namespace {

results::Record in_chapter(const std::string& chapter, results::Record record) {
  record.chapter = chapter;
  return record;
}

}  // namespace

TEST_CASE("a live table prints a chapter once all of its cells are there, and at the end the summary") {
  std::ostringstream out;
  LiveTable table(out, results::metric::cycles, {3, 0}, {{"integer", 3}, {"half", 1}}, {"add.u32", "add.f16"});
  results::Record add = cell_of("add.u32", 3, 4, "IADD3");
  give(add, results::metric::issue, 2);
  table.add({add, cell_of("add.u32", 0, 15, "IADD3")});
  CHECK(out.str().empty());

  results::Record half = in_chapter("half", cell_of("add.f16", 3, 5, "HADD2"));
  table.add({half});
  const std::string first = out.str();
  CHECK(first ==
        "ptx      operand  input                 O0      O3  issue at O3  SASS at O3"
        "                                        verdict  measure at O3\n"
        "\nhalf\n"
        "add.f16  a        random                 -       5               HADD2\n");

  results::Record fused = cell_of("abs.s32", 3, 4, "IABS");
  take_numbers(fused);
  fused.verdict = sass::Verdict::fused;
  table.add({fused});
  CHECK(out.str().substr(first.size()) ==
        "\ninteger\n"
        "abs.s32  a        random                 -       -               IABS"
        "                                              fused\n"
        "add.u32  a        random                15       4            2  IADD3\n");

  const std::size_t printed = out.str().size();
  table.finish();
  CHECK(out.str().substr(printed) ==
        "\n4 cells: 3 proven, 1 fused. Numbers are measured cycles: the proven dependent latency, or what `measure` "
        "says. Issue: the cycles that "
        "one more independent copy takes, in parentheses where nothing can depend on the instruction.\n");
}

TEST_CASE("a live table that is interrupted prints what it has") {
  std::ostringstream out;
  LiveTable table(out, results::metric::static_cycles, {3}, {{"integer", 100}}, {"add.u32"});
  results::Record add = cell_of("add.u32", 3, 4, "IADD3");
  add.windows[0].static_is_lower_bound = true;
  table.add({add});
  CHECK(out.str().empty());
  table.finish();
  CHECK(out.str().find("add.u32  a        random                ≥4") != std::string::npos);
  CHECK(out.str().find("1 cells: 1 proven. Numbers are cycles of the assembler's schedule") != std::string::npos);
}

TEST_CASE("a live table of nothing is its heads and summary") {
  std::ostringstream out;
  LiveTable table(out, results::metric::cycles, {3}, {}, {});
  table.finish();
  CHECK(out.str().starts_with("ptx  operand"));
  CHECK(out.str().find("\n0 cells. Numbers") != std::string::npos);
}
