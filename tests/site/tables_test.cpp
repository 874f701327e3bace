// SPDX-License-Identifier: Apache-2.0

// What a site reads of tables: the order of tables, and the marks by which it compares machine code.
#include "site/tables.h"

#include "base/file.h"
#include "catch.h"
#include "compare/code_change.h"
#include "tables/folder.h"
#include "tables_of.h"

using namespace ptxlat;

TEST_CASE("equal hashes mean what CodeComparison calls unchanged") {
  const std::string code =
      R"(["S2 | CS2R R2, SR_CLOCKLO","S1 W0 | POPC R6, R6","S2 B0 | IADD3 R4, R6, R5","S1 | CS2R R3"])";
  const auto changed = [&](const std::string& from, const std::string& to) {
    auto text = code;
    return text.replace(text.find(from), from.size(), to);
  };
  const auto of = compare::hash_of(code);
  // Registers, the number of a scoreboard, and the stall counts of the edges are arbitrary.
  CHECK(compare::hash_of(changed("POPC R6, R6", "POPC R9, R8")).schedule == of.schedule);
  CHECK(compare::hash_of(changed("W0 | POPC R6, R6\",\"S2 B0", "W3 | POPC R6, R6\",\"S2 B3")).schedule == of.schedule);
  CHECK(compare::hash_of(changed("S2 | CS2R", "S7 | CS2R")).schedule == of.schedule);

  const auto stalls_longer = compare::hash_of(changed("S1 W0", "S4 W0"));
  CHECK(stalls_longer.opcodes == of.opcodes);
  CHECK(stalls_longer.schedule != of.schedule);
  CHECK(compare::hash_of(changed("S2 B0", "S2")).schedule != of.schedule);
  CHECK(compare::hash_of(changed("POPC", "FLO")).opcodes != of.opcodes);
}

TEST_CASE("rows have marks of the windows behind their numbers, and none without windows") {
  const TestFolder folder;
  const auto tables = site_tables_of(folder, {cell_of("add.u32", 3, 4, "IADD3"), cell_of("add.f32", 3, 4, "FADD")});
  const auto& marks = tables[0]->marks;
  REQUIRE(marks.size() == 2);
  REQUIRE(marks[0].size() == 1);
  CHECK(marks[0][0].role == "differential");
  CHECK(marks[0][0].behind == std::vector<std::string>{"headline"});
  CHECK(marks[0][0].code.opcodes != marks[1][0].code.opcodes);
  CHECK(marks[0][0].code.schedule == marks[1][0].code.schedule);

  const TestFolder brief;
  tables::write_table(brief.path, table_of({cell_of("add.u32", 3, 4, "IADD3")}), tables::TableDetail::columns_only);
  CHECK(site::read_tables({brief.path.string()})[0]->marks[0].empty());
}

TEST_CASE("measured tables come first, then natural order") {
  const TestFolder folder;
  const std::vector<std::pair<const char*, const char*>> kinds = {
      {"static", "sm_90/static/ptxas-9"}, {"measured", "sm_90/x/ptxas-11"}, {"measured", "sm_90/x/ptxas-9"}};
  for (const auto& [kind, id] : kinds) {
    auto run = run_of(kind);
    run.table = id;
    tables::write_table(folder.path, tables::table_from(run, {}, {cell_of("add.u32", 3, 4, "IADD3")}));
  }
  std::vector<std::string> ids;
  for (const auto& table : site::read_tables({folder.path.string()})) ids.push_back(table->id);
  CHECK(ids == std::vector<std::string>{"sm_90/x/ptxas-9", "sm_90/x/ptxas-11", "sm_90/static/ptxas-9"});
}
