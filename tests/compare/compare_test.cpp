// SPDX-License-Identifier: Apache-2.0
#include "compare/compare.h"

#include <cmath>

#include "../tables/cells.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::tables;

namespace {

Comparison comparison_of(const Table& a, const Table& b) {
  return compare_tables({&a, std::nullopt, "a", "a"}, {&b, std::nullopt, "b", "b"});
}

Cause cause_of_only(const results::Record& a, const results::Record& b) {
  const Table table_a = (table_of({a}));
  const Table table_b = (table_of({b}));
  const Comparison comparison = comparison_of(table_a, table_b);
  return comparison.rows.empty() ? Cause::unchanged : comparison.rows.front().cause;
}

double change_of(const Comparison& comparison, std::size_t row) {
  return *headline_of(comparison, comparison.rows.at(row)).change();
}

}  // namespace

TEST_CASE("each cause of a difference is distinguished from the others") {
  const results::Record base = cell_of("add.u32", 3, 4, "IADD3");
  results::Record other = base;

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
    results::Record one = base;
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
    give(other, results::metric::cycles, 6);
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
    results::Record one = base;
    one.windows[0].sass[1].write_scoreboard = 0;
    one.windows[0].sass[2].wait_mask = 1 << 0;
    other.windows[0].sass[1].write_scoreboard = 5;
    other.windows[0].sass[2].wait_mask = 1 << 5;
    CHECK(cause_of_only(one, other) == Cause::unchanged);
  }
  SECTION("the same code and other cycles") {
    give(other, results::metric::cycles, 6);
    CHECK(cause_of_only(base, other) == Cause::same_code);
  }
  SECTION("a number on one side only") {
    give(other, results::metric::cycles, std::nullopt);
    other.verdict = sass::Verdict::unsupported;
    CHECK(cause_of_only(base, other) == Cause::other_verdict);
    CHECK(cause_of_only(other, base) == Cause::other_verdict);
  }
  SECTION("no number on either side, for different reasons") {
    results::Record one = base;
    give(one, results::metric::cycles, std::nullopt);
    give(other, results::metric::cycles, std::nullopt);
    one.verdict = sass::Verdict::unsupported;
    other.verdict = sass::Verdict::rejected;
    CHECK(cause_of_only(one, other) == Cause::other_verdict);
    other.verdict = sass::Verdict::unsupported;
    CHECK(cause_of_only(one, other) == Cause::unchanged);
  }
  SECTION("another verdict beside equal numbers") {
    other.verdict = sass::Verdict::contaminated;
    CHECK(cause_of_only(base, other) == Cause::other_verdict);
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
  const results::Record differential = cell_of("add.u32", 3, 4, "IADD3");
  results::Record chain = differential;
  give(chain, results::metric::chain, 4);
  give(chain, results::metric::differential, std::nullopt);
  chain.windows = {window_of("chain", {"CS2R R2", "IADD3 R4", "IADD3 R4", "CS2R R8"}, {2, 4, 4, 1})};
  CHECK(cause_of_only(differential, chain) == Cause::unchanged);
}

TEST_CASE("without windows the static number distinguishes a different schedule from the same code") {
  results::Record a = cell_of("add.u32", 3, 4, "IADD3");
  a.windows.clear();
  results::Record b = a;
  give(b, results::metric::cycles, 6);
  CHECK(cause_of_only(a, b) == Cause::same_code);
  give(b, results::metric::static_cycles, 6);
  CHECK(cause_of_only(a, b) == Cause::other_stall_counts);
}

TEST_CASE("numbers of static tables are stall counts, so that nothing else can be their cause") {
  results::Record a = cell_of("add.u32", 3, 4, "IADD3");
  give(a, results::metric::cycles, std::nullopt);
  give(a, results::metric::differential, std::nullopt);
  give(a, results::metric::issue, 2);
  a.windows.clear();
  results::Record b = a;
  give(b, results::metric::issue, 4);
  const Table table_a = (table_of({a}, "static")), table_b = (table_of({b}, "static"));
  const Comparison comparison = comparison_of(table_a, table_b);
  REQUIRE(comparison.rows.size() == 1);
  CHECK(comparison.rows[0].cause == Cause::other_stall_counts);
}

TEST_CASE("a cell that was measured and found unstable has the same verdict as a schedule that was not run") {
  results::Record a = cell_of("add.u32", 3, 4, "IADD3"), b = a;
  give(a, results::metric::cycles, std::nullopt);
  give(a, results::metric::differential, std::nullopt);
  give(b, results::metric::cycles, std::nullopt);
  give(b, results::metric::differential, std::nullopt);
  a.verdict = sass::Verdict::unstable;
  const Table measured = (table_of({a})), scheduled = (table_of({b}, "static"));
  CHECK(comparison_of(measured, scheduled).rows.empty());
}

TEST_CASE("an issue cost is compared if both tables have one") {
  const results::Record base = cell_of("add.u32", 3, 4, "IADD3");
  results::Record one = base, other = base;
  give(one, results::metric::issue, 2);
  SECTION("a table without it is compared without it") { CHECK(cause_of_only(base, one) == Cause::unchanged); }
  SECTION("the same code and another cost") {
    give(other, results::metric::issue, 4);
    CHECK(cause_of_only(one, other) == Cause::same_code);
  }
  SECTION("another schedule of the stream alone") {
    other = one;
    one.windows.push_back(window_of("stream", {"CS2R R2", "IADD3 R4", "IADD3 R5", "CS2R R8"}, {2, 1, 1, 1}));
    other.windows.push_back(window_of("stream", {"CS2R R2", "IADD3 R4", "IADD3 R5", "CS2R R8"}, {2, 2, 1, 1}));
    CHECK(cause_of_only(one, other) == Cause::other_stall_counts);
  }
  SECTION("nothing depends on it on either side") {
    give(one, results::metric::cycles, std::nullopt);
    give(one, results::metric::differential, std::nullopt);
    give(one, results::metric::static_cycles, std::nullopt);
    other = one;
    CHECK(cause_of_only(one, other) == Cause::unchanged);
    give(other, results::metric::issue, 3);
    CHECK(cause_of_only(one, other) == Cause::same_code);
  }
  SECTION("a cost on one side only, in tables that have them") {
    const results::Record next = cell_of("sub.u32", 3, 4, "IADD3");
    results::Record next_with_issue = next;
    give(next_with_issue, results::metric::issue, 2);
    const Table a = (table_of({one, next_with_issue})), b = (table_of({one, next}));
    const Comparison comparison = comparison_of(a, b);
    REQUIRE(comparison.rows.size() == 1);
    CHECK(comparison.rows[0].cause == Cause::other_verdict);
    CHECK(comparison.rows[0].record().ptx == "sub.u32");
  }
}

TEST_CASE("two levels of one table are compared form by form") {
  const Table table = (table_of({cell_of("add.u32", 0, 15, "IADD"), cell_of("add.u32", 3, 4, "IADD3"),
                                 cell_of("sub.u32", 0, 15, "IADD"), cell_of("sub.u32", 3, 4, "IADD3")}));
  const Comparison comparison = compare_tables({&table, 0, "O0", ""}, {&table, 3, "O3", ""});
  REQUIRE(comparison.rows.size() == 2);
  CHECK(comparison.rows[0].a->record.level == 0);
  CHECK(comparison.rows[0].b->record.level == 3);
  CHECK(change_of(comparison, 0) == -11);
}

TEST_CASE("a level given for one side holds for the other") {
  const Table a = (table_of({cell_of("add.u32", 0, 15, "IADD3"), cell_of("add.u32", 3, 4, "IADD3")}));
  const Table b = (table_of({cell_of("add.u32", 0, 16, "IADD3"), cell_of("add.u32", 3, 5, "IADD3")}));
  const Comparison comparison = compare_tables({&a, 3, "a", ""}, {&b, std::nullopt, "b", ""});
  REQUIRE(comparison.rows.size() == 1);
  CHECK(comparison.rows[0].b->record.level == 3);
}

TEST_CASE("if one side measured nothing, both are compared by the schedule's numbers") {
  const results::Record a = cell_of("add.u32", 3, 4, "IADD3");
  results::Record b = cell_of("add.u32", 3, 6, "IADD3");
  give(b, results::metric::cycles, std::nullopt);
  give(b, results::metric::differential, std::nullopt);
  const Table measured = (table_of({a})), scheduled = (table_of({b}, "static"));
  for (const Table* one : {&measured, &scheduled}) {
    const Table& other = one == &measured ? scheduled : measured;
    const Comparison comparison = comparison_of(*one, other);
    REQUIRE(comparison.rows.size() == 1);
    CHECK(comparison.rows[0].cause == Cause::other_stall_counts);
    CHECK(std::abs(change_of(comparison, 0)) == 2);
  }
}

TEST_CASE("the largest relative change comes first, then the clearest cause") {
  const auto with_cycles = [](results::Record cell, double cycles) {
    give(cell, results::metric::cycles, cycles);
    return cell;
  };
  results::Record unsupported = cell_of("e", 3, 4, "E");
  give(unsupported, results::metric::cycles, std::nullopt);
  unsupported.verdict = sass::Verdict::unsupported;
  const Table a = (table_of({cell_of("only_a", 3, 4, "X"), cell_of("same_code", 3, 4, "S"), cell_of("e", 3, 4, "E"),
                             cell_of("equal", 3, 4, "Q"), cell_of("small", 3, 100, "M"), cell_of("same_too", 3, 4, "T"),
                             cell_of("large", 3, 4, "L"), cell_of("halved", 3, 8, "H")}));
  const Table b = (table_of({cell_of("only_b", 3, 4, "X"), with_cycles(cell_of("same_code", 3, 4, "S"), 40),
                             unsupported, cell_of("equal", 3, 4, "Q2"), cell_of("small", 3, 110, "M2"),
                             with_cycles(cell_of("same_too", 3, 4, "T"), 12), cell_of("large", 3, 12, "L2"),
                             cell_of("halved", 3, 4, "H2")}));
  std::vector<std::string> order;
  for (const Difference& row : comparison_of(a, b).rows) order.push_back(row.record().ptx);
  CHECK(order == std::vector<std::string>{"same_code", "large", "same_too", "halved", "small", "equal", "e", "only_a",
                                          "only_b"});
}

TEST_CASE("a summary counts causes for each chapter and finds the biggest changes") {
  std::vector<results::Record> a, b;
  for (int i = 0; i < 10; ++i) {
    a.push_back(cell_of("op" + std::to_string(i), 3, 10, "A"));
    b.push_back(cell_of("op" + std::to_string(i), 3, i < 4 ? 5 - i : i < 6 ? 20 + i : 10, i < 6 ? "B" : "A"));
    a.back().chapter = b.back().chapter = i % 2 ? "odd" : "even";
  }
  a.push_back(cell_of("gone", 3, 4, "A"));
  const Table table_a = (table_of(a)), table_b = (table_of(b));
  const Comparison comparison = comparison_of(table_a, table_b);
  const Summary summary = summarize(comparison);
  CHECK(summary.total.compared == 10);
  CHECK(summary.total.unchanged == 4);
  CHECK(summary.total.causes ==
        std::vector<std::pair<Cause, std::size_t>>{{Cause::other_sass, 6}, {Cause::only_in_a, 1}});
  REQUIRE(summary.chapters.size() == 3);
  CHECK(summary.chapters[0].first == "even");
  CHECK(summary.chapters[0].second.compared == 5);
  CHECK(summary.chapters[0].second.unchanged == 2);
  CHECK(summary.chapters[1].first == "integer");
  CHECK(summary.chapters[1].second.compared == 0);
  CHECK(summary.fewer == 4);
  CHECK(summary.more == 2);
  CHECK(summary.equal == 4);
  CHECK(summary.median_ratio == 1);
  REQUIRE(summary.gains.size() == 4);
  CHECK(summary.gains[0]->record().ptx == "op3");
  REQUIRE(summary.losses.size() == 2);
  CHECK(summary.losses[0]->record().ptx == "op5");
}

TEST_CASE("a threshold asks for numbers that change by so much, come or go") {
  const results::Record base = cell_of("add.u32", 3, 4, "IADD3");
  const auto changed = [&](const results::Record& other, std::optional<double> threshold) {
    const Table a = (table_of({base})), b = (table_of({other}));
    return has_changed(comparison_of(a, b), threshold);
  };
  results::Record other = base;
  CHECK_FALSE(changed(base, std::nullopt));
  CHECK_FALSE(changed(base, 0));
  give(other, results::metric::cycles, 6);
  CHECK(changed(other, std::nullopt));
  CHECK(changed(other, 2));
  CHECK_FALSE(changed(other, 2.5));
  other = cell_of("add.u32", 3, 4, "IMAD.IADD");
  CHECK(changed(other, std::nullopt));
  CHECK_FALSE(changed(other, 0));
  give(other, results::metric::cycles, std::nullopt);
  other.verdict = sass::Verdict::fused;
  CHECK(changed(other, 1000));
  CHECK(changed(cell_of("sub.u32", 3, 4, "IADD3"), std::nullopt));
  CHECK_FALSE(changed(cell_of("sub.u32", 3, 4, "IADD3"), 1));
}

TEST_CASE("equal tables have no differences") {
  const Table table = (table_of({cell_of("add.u32", 3, 4, "IADD3")}));
  CHECK(comparison_of(table, table).rows.empty());
  CHECK(comparison_of(table, table).unchanged.size() == 1);
  const Table empty = (table_of({}));
  CHECK(comparison_of(empty, empty).rows.empty());
}
