// SPDX-License-Identifier: Apache-2.0
#include "compare/compare_facts.h"

#include <sstream>

#include "../results/test_folder.h"
#include "../tables/cells.h"
#include "catch.h"
#include "compare/compare_write.h"
#include "results/json.h"
#include "tables/find_tables.h"
#include "tables/folder.h"
#include "tables/probe_files.h"

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::tables;

namespace {

constexpr auto inferred = results::FactVerdict::inferred;
constexpr auto undetermined = results::FactVerdict::undetermined;

TableFact number(const std::string& quantity, const std::string& value, double low, double high,
                 const std::string& card, const std::string& scope = "kind") {
  return {"l1", {quantity, "", value, low, high, "cycles", scope, inferred, "a fit"}, card};
}

TableFact word(const std::string& quantity, const std::string& value, const std::string& card) {
  const auto verdict = value.empty() ? undetermined : inferred;
  return {"l1", {quantity, "", value, std::nullopt, std::nullopt, "text", "kind", verdict, "a guess"}, card};
}

// Every change once.
std::vector<TableFact> facts_a() {
  return {number("l1.latency", "32", 31, 33, "GPU-a"),
          number("l2.latency", "270", 265, 275, "GPU-a"),
          number("dram", "600", 590, 610, "GPU-a"),
          word("l1.policy", "plru", "GPU-a"),
          word("l1.index", "hash", "GPU-a"),
          number("old", "1", 1, 1, "GPU-a"),
          number("l2.far", "400", 395, 405, "GPU-a", "card")};
}
std::vector<TableFact> facts_b(const std::string& card = "GPU-b") {
  return {number("l1.latency", "33.5", 32, 35, card),
          number("l2.latency", "280", 278, 282, card),
          number("dram", "600", 590, 610, card),
          word("l1.policy", "", card),
          word("l1.index", "hash", card),
          number("new", "1", 1, 1, card),
          number("l2.far", "450", 445, 455, card, "card")};
}

// Tables of these facts and nothing else.
struct TwoFacts {
  Table a = table_of({}), b = table_of({});

  TwoFacts() {
    a.facts = facts_a();
    b.facts = facts_b();
  }
  Group group() const {
    return compare_all({{&a, std::nullopt, "H100", "tables/a"}, {&b, std::nullopt, "H200", "tables/b"}});
  }
};

std::vector<std::string> named(const FactComparison& comparison, FactChange change) {
  std::vector<std::string> names;
  for (const auto& row : comparison.rows) {
    if (row.change == change) names.push_back(row.either().fact.quantity);
  }
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("numbers are equal if one lies in the other's range, and words if they are the same") {
  const auto a = facts_a(), b = facts_b();
  const auto comparison = compare_facts(a, b);
  Names equal;
  for (const auto* fact : comparison.equal) equal.push_back(fact->fact.quantity);
  CHECK(equal == Names{"dram", "l1.index", "l1.latency"});
  CHECK(named(comparison, FactChange::other_value) == Names{"l2.latency"});
  CHECK(named(comparison, FactChange::other_verdict) == Names{"l1.policy"});
  CHECK(named(comparison, FactChange::only_in_a) == Names{"old"});
  CHECK(named(comparison, FactChange::only_in_b) == Names{"new"});
}

TEST_CASE("facts of a card are compared with the same card's only") {
  const auto a = facts_a(), b = facts_b(), same = facts_b("GPU-a"), unknown = facts_b("");
  CHECK(compare_facts(a, b).of_other_cards == 1);
  CHECK(compare_facts(a, unknown).of_other_cards == 1);
  CHECK(compare_facts(a, same).of_other_cards == 0);
  CHECK(named(compare_facts(a, same), FactChange::other_value) == Names{"l2.far", "l2.latency"});
  auto without = b;
  without.pop_back();
  CHECK(compare_facts(a, without).of_other_cards == 1);
}

TEST_CASE("a fact is matched by its probe and condition too, and one that is there twice in its order") {
  std::vector<TableFact> a = {number("x", "1", 1, 1, ""), number("x", "5", 5, 5, "")}, b = a;
  CHECK(compare_facts(a, b).equal.size() == 2);
  b[0].fact.condition = "carveout=0";
  CHECK(named(compare_facts(a, b), FactChange::only_in_b) == Names{"x"});
  b = a;
  for (auto& fact : b) fact.probe = "other";
  CHECK(compare_facts(a, b).equal.empty());
}

TEST_CASE("the page of a comparison has a section of facts") {
  const TwoFacts tables;
  std::ostringstream out;
  write_page(out, tables.group(), {});
  CHECK_THAT(
      out.str(),
      Catch::Matchers::Contains(
          "Facts of the machine: 3 equal, 1 different value, 1 different verdict, 1 only in A, 1 only in B; 1 of "
          "scope card are left out, since the cards differ\n"
          "\n"
          "Equal: dram, l1.index, l1.latency\n"
          "\n"
          "quantity    A                 B                 change       unit    fact               probe\n"
          "l2.latency  270 (265 to 275)  280 (278 to 282)  +10 (×1.04)  cycles  different value    l1\n"
          "l1.policy   plru              undetermined                   text    different verdict  l1\n"
          "old         1                 -                              cycles  only in A          l1\n"
          "new         -                 1                              cycles  only in B          l1\n"));
}

TEST_CASE("the facts of a comparison as csv and JSON are the contract's") {
  const TwoFacts tables;
  std::ostringstream csv, rows, json;
  write_facts_csv(csv, {tables.group()});
  CHECK(csv.str() ==
        "a,b,probe,quantity,condition,cause,value_a,value_b,low_a,low_b,high_a,high_b,unit_a,unit_b,change,ratio,"
        "verdict_a,verdict_b,how_a,how_b\n"
        "H100,H200,l1,l2.latency,,other_value,270,280,265,278,275,282,cycles,cycles,10,1.037037037037037,inferred,"
        "inferred,a fit,a fit\n"
        "H100,H200,l1,l1.policy,,other_verdict,plru,,,,,,text,text,,,inferred,undetermined,a guess,a guess\n"
        "H100,H200,l1,old,,only_in_a,1,,1,,1,,cycles,,,,inferred,,a fit,\n"
        "H100,H200,l1,new,,only_in_b,,1,,1,,1,,cycles,,,,inferred,,a fit\n");
  write_csv(rows, {tables.group()});
  CHECK(rows.str().find("latency,") == std::string::npos);
  write_json(json, {tables.group()});
  const auto facts = results::Json::parse(json.str())["comparisons"][0]["facts"];
  CHECK(facts.at("equal") == 3);
  CHECK(facts.at("of_other_cards") == 1);
  CHECK(facts.at("causes").at("other_value") == 1);
  REQUIRE(facts.at("rows").size() == 4);
  CHECK(facts["rows"][0].at("cause") == "other_value");
  CHECK(facts["rows"][0].at("change") == 10);
  CHECK(facts["rows"][0].at("b").at("low") == 278);
  CHECK(facts["rows"][1].at("b").at("verdict") == "undetermined");
  CHECK(facts["rows"][2].at("b").is_null());
}

TEST_CASE("a table without facts is compared without them, and one with itself too") {
  const TwoFacts tables;
  const Table none = table_of({});
  const auto facts_between = [](const Table& a, const Table& b) {
    return compare_tables({&a, std::nullopt, "a", "a"}, {&b, std::nullopt, "b", "b"}).facts.has_value();
  };
  CHECK_FALSE(facts_between(tables.a, none));
  CHECK_FALSE(facts_between(none, tables.b));
  CHECK_FALSE(facts_between(tables.a, tables.a));
  CHECK(facts_between(tables.a, tables.b));
}

TEST_CASE("if one side only has probes, the other side's rows are neither new nor gone") {
  const TwoFacts tables;
  Table rows = table_of({cell_of("add.u32", 3, 4, "IADD3")});
  rows.facts = facts_a();
  const auto comparison = compare_tables({&tables.a, std::nullopt, "a", "a"}, {&rows, std::nullopt, "b", "b"});
  CHECK(comparison.rows.empty());
  CHECK_FALSE(has_changed(comparison, std::nullopt));
}

TEST_CASE("facts count as a change, with a threshold those in cycles that changed so far") {
  const TwoFacts tables;
  const auto comparison = tables.group().comparisons[0];
  CHECK(has_changed(comparison, std::nullopt));
  CHECK(has_changed(comparison, 10));
  CHECK_FALSE(has_changed(comparison, 11));
}

TEST_CASE("facts are read with the card that their probe's run names, and probes alone are a table") {
  const TestFolder folder;
  results::Run run = run_of();
  run.id = 3;
  run.device = gpu::DeviceInfo{};
  run.device->name = "NVIDIA H200";
  run.device->uuid = "GPU-a";
  results::Record probe;
  probe.kind = results::RecordKind::probe;
  probe.ptx = "l1";
  probe.run = 3;
  probe.facts = {facts_a()[0].fact};
  CHECK(tables::read_table(folder.path, {tables::Part::facts}).facts.empty());
  write_probe_files(folder.path / "h200", {probe}, {run});
  const auto facts = tables::read_table(folder.path / "h200", {tables::Part::facts}).facts;
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].card == "GPU-a");
  CHECK(facts[0].fact == probe.facts[0]);
  std::vector<std::filesystem::path> unreadable;
  REQUIRE(find_tables(folder.path.string(), unreadable).size() == 1);
  const Table table = read_table(folder.path / "h200");
  CHECK(table.cells.empty());
  CHECK(table.run.device->name == "NVIDIA H200");
}
