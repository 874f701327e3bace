// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "tables/operands.h"
#include "tables/table.h"

using namespace ptxlat;
using namespace ptxlat::tables;
namespace metric = ptxlat::results::metric;

namespace {

results::Record atomic() {
  results::Record record;
  record.ptx = "atom.global.add.u32";
  record.operand = "a";
  record.level = 3;
  record.set(metric::cycles, 294, {"chain", "chain twice"});
  record.set(metric::issue, 4);
  record.set(metric::differential, 276);
  record.set(metric::chain, 294);
  record.set(metric::least, 266);
  record.set(metric::median, 294);
  record.set(metric::p95, 327);
  record.set(metric::most, 341);
  record.set(metric::elapsed_ns, 147);
  return record;
}

results::Record of_two_humps() {
  auto record = atomic();
  record.set(metric::far_cycles, 498, {"chain", "chain twice"});
  record.set(metric::far_least, 450);
  record.set(metric::far_p95, 540);
  record.set(metric::far_most, 560);
  record.set(metric::far_share, 0.5);
  return record;
}

}  // namespace

TEST_CASE("a record of two humps is two rows, near and far") {
  const auto rows = humps_apart(of_two_humps());
  REQUIRE(rows.size() == 2);
  auto near = atomic();
  near.input = "near";
  CHECK(rows[0] == near);
  const auto& far = rows[1];
  CHECK(far.input == "far");
  CHECK(far.number(metric::cycles) == 498);
  CHECK(far.find(metric::cycles)->from == std::vector<std::string>{"chain", "chain twice"});
  CHECK(far.number(metric::chain) == 498);
  CHECK(far.number(metric::differential) == 276);
  CHECK(far.number(metric::issue) == 4);
  CHECK(far.number(metric::least) == 450);
  CHECK(far.number(metric::median) == 498);
  CHECK(far.number(metric::p95) == 540);
  CHECK(far.number(metric::most) == 560);
  CHECK(far.number(metric::elapsed_ns) == 249);
  CHECK_FALSE(far.number(metric::far_cycles));
}

TEST_CASE("a class of input values keeps its name in both rows") {
  auto record = of_two_humps();
  record.input = "one address";
  const auto rows = humps_apart(record);
  CHECK(rows[0].input == "one address, near");
  CHECK(rows[1].input == "one address, far");
}

TEST_CASE("a record of one hump stays one row") {
  CHECK(humps_apart(atomic()) == std::vector<results::Record>{atomic()});
}

TEST_CASE("a table has a row for each hump of its operands") {
  auto other = of_two_humps();
  other.operand = "b";
  const auto table = table_from({}, {}, {of_two_humps(), other, atomic()});
  REQUIRE(table.cells.size() == 3);
  const auto input_of = [&](std::size_t cell) { return table.cells[cell].record.input; };
  CHECK((input_of(0) == "near" && input_of(1) == "far" && input_of(2).empty()));
  CHECK(table.cells[1].record.operand == "a b");
}
