#include "report/compare.h"

#include <chrono>
#include <sstream>

#include "catch.h"
#include "cells.h"

using namespace ptxlat;

namespace {

std::vector<Difference> compare_tables(const Table& a, const Table& b) {
  return compare({&a, std::nullopt, "a"}, {&b, std::nullopt, "b"});
}

Cause cause_of_only(const CellRecord& a, const CellRecord& b) {
  const Table table_a = table_of({a});
  const Table table_b = table_of({b});
  const std::vector<Difference> rows = compare_tables(table_a, table_b);
  return rows.empty() ? Cause::unchanged : rows.front().cause;
}

std::string written(const Side& a, const Side& b, bool markdown) {
  std::ostringstream out;
  write_comparison(out, a, b, compare(a, b), markdown);
  return out.str();
}

}  // namespace

TEST_CASE("each cause of a difference is told from the others") {
  const CellRecord base = cell_of("add.u32", 3, 4, "IADD3");
  CellRecord other = base;

  SECTION("nothing") { CHECK(cause_of_only(base, other) == Cause::unchanged); }
  SECTION("another opcode and other cycles") {
    CHECK(cause_of_only(base, cell_of("add.u32", 3, 5, "IMAD.IADD")) == Cause::other_sass);
  }
  SECTION("another opcode and equal cycles") {
    CHECK(cause_of_only(base, cell_of("add.u32", 3, 4, "IMAD.IADD")) == Cause::other_sass);
  }
  SECTION("another consumer in the window") {
    other.windows[0].sass[2].text = "SHF.L.U32 R4, R4, R7, RZ";
    CHECK(cause_of_only(base, other) == Cause::other_sass);
  }
  SECTION("another base that the differential is measured against") {
    CellRecord one = base;
    one.windows.push_back(window_of("differential base", {"CS2R R2", "LOP3.LUT R4", "CS2R R8"}, {2, 5, 1}));
    other.windows.push_back(window_of("differential base", {"CS2R R2", "IADD3 R4", "CS2R R8"}, {2, 5, 1}));
    CHECK(cause_of_only(one, other) == Cause::other_sass);
  }
  SECTION("other registers only") {
    other.windows[0].sass[1].text = "IADD3 R40, R50, R60";
    CHECK(cause_of_only(base, other) == Cause::unchanged);
  }
  SECTION("another stall count") {
    other.windows[0].sass[1].stall_count = 6;
    other.cycles = 6;
    CHECK(cause_of_only(base, other) == Cause::other_stall_counts);
  }
  SECTION("another stall count and equal cycles") {
    other.windows[0].sass[1].stall_count = 6;
    CHECK(cause_of_only(base, other) == Cause::other_stall_counts);
  }
  SECTION("the edges of the window, which are in no number") {
    other.windows[0].sass[0].stall_count = 7;
    other.windows[0].sass[0].wait_mask = 3;
    other.windows[0].sass[2].stall_count = 8;
    other.windows[0].sass[3].stall_count = 9;
    CHECK(cause_of_only(base, other) == Cause::unchanged);
  }
  SECTION("another wait") {
    other.windows[0].sass[2].wait_mask = 1;
    CHECK(cause_of_only(base, other) == Cause::other_stall_counts);
  }
  SECTION("the same wait through another scoreboard") {
    CellRecord one = base;
    one.windows[0].sass[1].write_scoreboard = 0;
    one.windows[0].sass[2].wait_mask = 1 << 0;
    other.windows[0].sass[1].write_scoreboard = 5;
    other.windows[0].sass[2].wait_mask = 1 << 5;
    CHECK(cause_of_only(one, other) == Cause::unchanged);
  }
  SECTION("the same code and other cycles") {
    other.cycles = 6;
    CHECK(cause_of_only(base, other) == Cause::same_code);
  }
  SECTION("a number on one side only") {
    other.cycles = std::nullopt;
    other.verdict = Verdict::unsupported;
    CHECK(cause_of_only(base, other) == Cause::other_verdict);
    CHECK(cause_of_only(other, base) == Cause::other_verdict);
  }
  SECTION("no number on either side, for different reasons") {
    CellRecord one = base;
    one.cycles = other.cycles = std::nullopt;
    one.verdict = Verdict::unsupported;
    other.verdict = Verdict::rejected;
    CHECK(cause_of_only(one, other) == Cause::other_verdict);
    other.verdict = Verdict::unsupported;
    CHECK(cause_of_only(one, other) == Cause::unchanged);
  }
  SECTION("another form") { CHECK(cause_of_only(base, cell_of("sub.u32", 3, 4, "IADD3")) == Cause::only_in_a); }
  SECTION("another level, operand or input") {
    CHECK(cause_of_only(base, cell_of("add.u32", 2, 4, "IADD3")) == Cause::only_in_a);
    other.operand = "b";
    CHECK(cause_of_only(base, other) == Cause::only_in_a);
    other = base;
    other.input = "denormal";
    CHECK(cause_of_only(base, other) == Cause::only_in_a);
  }
}

TEST_CASE("windows of different witnesses are not compared with each other") {
  const CellRecord differential = cell_of("add.u32", 3, 4, "IADD3");
  CellRecord chain = differential;
  chain.chain = 4;
  chain.differential = std::nullopt;
  chain.windows = {window_of("chain", {"CS2R R2", "IADD3 R4", "IADD3 R4", "CS2R R8"}, {2, 4, 4, 1})};
  CHECK(cause_of_only(differential, chain) == Cause::unchanged);
}

TEST_CASE("without windows the static number tells another schedule from the same code") {
  CellRecord a = cell_of("add.u32", 3, 4, "IADD3");
  a.windows.clear();
  CellRecord b = a;
  b.cycles = 6;
  CHECK(cause_of_only(a, b) == Cause::same_code);
  b.static_cycles = 6;
  CHECK(cause_of_only(a, b) == Cause::other_stall_counts);
}

TEST_CASE("two levels of one table are compared form by form") {
  const Table table = table_of({cell_of("add.u32", 0, 15, "IADD"), cell_of("add.u32", 3, 4, "IADD3"),
                                cell_of("sub.u32", 0, 15, "IADD"), cell_of("sub.u32", 3, 4, "IADD3")});
  const std::vector<Difference> rows = compare({&table, 0, "O0"}, {&table, 3, "O3"});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].a->level == 0);
  CHECK(rows[0].b->level == 3);
  CHECK(rows[0].cycles_change == -11);
}

TEST_CASE("a level given for one side holds for the other") {
  const Table a = table_of({cell_of("add.u32", 0, 15, "IADD3"), cell_of("add.u32", 3, 4, "IADD3")});
  const Table b = table_of({cell_of("add.u32", 0, 16, "IADD3"), cell_of("add.u32", 3, 5, "IADD3")});
  const std::vector<Difference> rows = compare({&a, 3, "a"}, {&b, std::nullopt, "b"});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].b->level == 3);
}

TEST_CASE("static tables are compared by the schedule's numbers") {
  CellRecord a = cell_of("add.u32", 3, 4, "IADD3");
  CellRecord b = cell_of("add.u32", 3, 6, "IADD3");
  a.cycles = b.cycles = a.differential = b.differential = std::nullopt;
  const Table table_a = table_of({a}, "static");
  const Table table_b = table_of({b}, "static");
  const std::vector<Difference> rows = compare_tables(table_a, table_b);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].cause == Cause::other_stall_counts);
  CHECK(rows[0].cycles_change == 2);
}

TEST_CASE("the most interesting rows come first") {
  const auto with_cycles = [](CellRecord cell, double cycles) {
    cell.cycles = cycles;
    return cell;
  };
  CellRecord unsupported = cell_of("e", 3, 4, "E");
  unsupported.cycles = std::nullopt;
  unsupported.verdict = Verdict::unsupported;
  const Table a = table_of({cell_of("only_a", 3, 4, "X"), cell_of("same_code", 3, 4, "S"), cell_of("e", 3, 4, "E"),
                            cell_of("equal", 3, 4, "Q"), cell_of("small", 3, 100, "M"), cell_of("large", 3, 4, "L"),
                            cell_of("halved", 3, 8, "H")});
  const Table b = table_of({cell_of("only_b", 3, 4, "X"), with_cycles(cell_of("same_code", 3, 4, "S"), 40), unsupported,
                            cell_of("equal", 3, 4, "Q2"), cell_of("small", 3, 110, "M2"), cell_of("large", 3, 12, "L2"),
                            cell_of("halved", 3, 4, "H2")});
  std::vector<std::string> order;
  for (const Difference& row : compare_tables(a, b)) order.push_back(row.a ? row.a->ptx : row.b->ptx);
  CHECK(order == std::vector<std::string>{"large", "halved", "small", "equal", "same_code", "e", "only_a", "only_b"});
}

TEST_CASE("a comparison says what changed, by how much and why") {
  CellRecord slower = cell_of("sad.u32", 3, 4, "VABSDIFF");
  slower.cycles = slower.static_cycles = 6;
  slower.windows[0].sass[1].stall_count = 6;
  CellRecord unsupported = cell_of("tanh.approx.f32", 3, 17, "MUFU.TANH");
  unsupported.cycles = std::nullopt;
  unsupported.verdict = Verdict::unsupported;
  unsupported.note = "needs PTX 7.0\nand sm_75";
  const Table a = table_of({cell_of("add.u32", 3, 15, "IADD3"), cell_of("sad.u32", 3, 4, "VABSDIFF"),
                            cell_of("popc.b32", 3, 16, "POPC"), cell_of("tanh.approx.f32", 3, 17, "MUFU.TANH"),
                            cell_of("old.u32", 3, 4, "OLD")});
  const Table b =
      table_of({cell_of("add.u32", 3, 4, "IMAD.IADD"), slower, cell_of("popc.b32", 3, 16, "POPC"), unsupported});
  const std::string text = written({&a, 3, "11.8"}, {&b, 3, "13.0"}, false);
  CAPTURE(text);
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  CHECK(has("4 rows compared, 1 unchanged, 1 other SASS, 1 other stall counts, 1 only in A, 1 other verdict\n"));
  CHECK(has("1 fewer, 1 more, 1 equal; median ratio 1\n"));
  CHECK(has("fastest gains: add.u32 (random) 15 → 4\n"));
  CHECK(has("worst losses: sad.u32 (random) 4 → 6\n"));
  CHECK(has("15 → 4  -11 (×0.267)  1 → 1  15 → 4  IADD3 → IMAD.IADD\n"));
  CHECK(has("4 → 6   +2 (×1.5)  1 → 1  4 → 6   VABSDIFF  differential: stall counts 4 → 6\n"));
  CHECK(has("17 → unsupported"));
  CHECK(has("needs PTX 7.0\n"));
  CHECK_FALSE(has("popc"));

  const std::string markdown = written({&a, 3, "11.8"}, {&b, 3, "13.0"}, true);
  CHECK(markdown.find("# 11.8 against 13.0\n") == 0);
  CHECK(markdown.find("| `add.u32` | a | random | 15 → 4 | -11 (×0.267) |") != std::string::npos);
}

TEST_CASE("equal tables have no differences") {
  const Table table = table_of({cell_of("add.u32", 3, 4, "IADD3")});
  CHECK(compare_tables(table, table).empty());
  const Table empty = table_of({});
  CHECK(compare_tables(empty, empty).empty());
  CHECK(written({&empty, std::nullopt, "a"}, {&empty, std::nullopt, "b"}, true).find("0 rows compared") !=
        std::string::npos);
}

TEST_CASE("35,000 rows on each side are no quadratic join") {
  std::vector<CellRecord> a, b;
  for (int i = 0; i < 35'000; ++i) {
    a.push_back(cell_of("op" + std::to_string(i), 3, 4, "IADD3"));
    b.push_back(cell_of("op" + std::to_string(35'000 - i), 3, i % 3 == 0 ? 5 : 4, "IADD3"));
  }
  const Table table_a = table_of(std::move(a));
  const Table table_b = table_of(std::move(b));
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Difference> rows = compare_tables(table_a, table_b);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  CHECK(rows.size() > 10'000);
  CHECK(elapsed.count() < 5);  // far above: sanitizers and busy machines are slow, a quadratic join is slower
}
