// SPDX-License-Identifier: Apache-2.0
#include "latency/plan.h"

#include <filesystem>
#include <set>

#include "catch.h"
#include "isa/catalogue.h"

using namespace ptxlat;
using namespace ptxlat::latency;

namespace {

const std::filesystem::path templates = std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates";

struct Shipped {
  ptx::LoadedCatalogue loaded{isa::load_catalogue({templates / "isa"}), ptx::load_skeletons(templates)};

  isa::Form& form(const std::string& ptx) {
    for (auto& candidate : loaded.catalogue.forms) {
      if (candidate.ptx == ptx) return candidate;
    }
    FAIL("no " << ptx);
    return loaded.catalogue.forms.front();
  }
  std::vector<CellPlan> plan(const std::vector<std::string>& names, const std::vector<int>& levels) {
    std::vector<const isa::Form*> forms;
    for (const auto& name : names) forms.push_back(&form(name));
    return plan_cells(loaded, forms, levels);
  }
  std::string recipe(const std::string& ptx) { return plan({ptx}, {3}).front().recipe; }
};

}  // namespace

TEST_CASE("a plan has every variant at every level, level by level") {
  Shipped shipped;
  const auto cells = shipped.plan({"add.u32", "fma.rn.f32"}, {0, 3});
  REQUIRE(cells.size() == 2 * (2 + 3));
  for (std::size_t i = 0; i < cells.size(); ++i) CHECK(cells[i].level == (i < 5 ? 0 : 3));
  CHECK(cells[0].variant.operand == "a");
  CHECK(cells[1].variant.operand == "b");
  CHECK(shipped.plan({}, {0, 3}).empty());
  CHECK(shipped.plan({"add.u32"}, {}).empty());
}

TEST_CASE("a plan has the chapters in the order that their files ask for") {
  Shipped shipped;
  std::vector<std::string> names;
  for (const auto& cell : shipped.plan({"brev.b32", "add.u32", "popc.b32", "fma.rn.f32", "cvt.rn.f32.s32"}, {3}))
    if (names.empty() || names.back() != cell.variant.form->ptx) names.push_back(cell.variant.form->ptx);
  // float.toml, integer.toml as it stands, and conversion.toml, which asks for nothing.
  CHECK(names == std::vector<std::string>{"fma.rn.f32", "brev.b32", "add.u32", "popc.b32", "cvt.rn.f32.s32"});
}

TEST_CASE("a recipe is the same for the same experiment, in another process and at another level") {
  Shipped one, other;
  CHECK(one.recipe("fma.rn.f32") == other.recipe("fma.rn.f32"));
  const auto cells = one.plan({"add.u32"}, {0, 3});
  CHECK(cells[0].recipe == cells[2].recipe);
}

TEST_CASE("variants that are other experiments have other recipes") {
  Shipped shipped;
  std::set<std::string> recipes;
  for (const auto& cell : shipped.plan({"add.u32", "sub.u32", "fma.rn.f32"}, {3})) recipes.insert(cell.recipe);
  CHECK(recipes.size() == 2 + 2 + 3);
}

TEST_CASE("a recipe changes with the instruction's text, its values, its consumers and the skeletons") {
  const auto before = Shipped().recipe("add.u32");
  Shipped text;
  text.form("add.u32").text = "add.u32 {d}, {b}, {a}";
  CHECK(text.recipe("add.u32") != before);

  Shipped values;
  values.loaded.catalogue.defaults["u32"][0].last = "1620005";
  CHECK(values.recipe("add.u32") != before);

  Shipped own_values;
  own_values.form("add.u32").inputs.front().values["b"] = {"3", "65", false};
  CHECK(own_values.recipe("add.u32") != before);

  Shipped consumers;
  consumers.form("add.u32").consumers = {"prmt.b32"};
  CHECK(consumers.recipe("add.u32") != before);

  Shipped later_consumer;
  for (auto& consumer : later_consumer.loaded.catalogue.consumers) {
    if (consumer.name == "prmt.b32") consumer.text = "prmt.b32 {q}, {a}, {k}, 0x3210;";
  }
  CHECK(later_consumer.recipe("add.u32") != before);

  Shipped skeletons;
  skeletons.loaded.skeletons.chain.text += "// one more line\n";
  CHECK(skeletons.recipe("add.u32") != before);

  Shipped reason;
  reason.form("add.u32").not_measurable = "because";
  CHECK(reason.recipe("add.u32") != before);
}

TEST_CASE("a recipe stays when something else in the catalogue changes") {
  const auto before = Shipped().recipe("add.u32");
  Shipped shipped;
  shipped.form("sub.u32").text = "sub.u32 {d}, {b}, {a}";
  shipped.loaded.catalogue.defaults["f64"][0].last = "1.98";
  shipped.form("add.u32").where.line += 10;
  CHECK(shipped.recipe("add.u32") == before);
}

TEST_CASE("cells that differ in nothing but a level above -O1 are made with the one of the highest") {
  Shipped shipped;
  const auto plan = shipped.plan({"add.u32"}, {0, 1, 2, 3});
  const auto of_level = plan.size() / 4;
  const auto cells = with_alike(plan, line_cells(plan));
  REQUIRE(cells.size() == 3 * of_level);
  for (const auto& cell : cells) {
    CHECK(cell.level != 2);
    if (cell.level < 2) {
      CHECK(cell.alike.empty());
    } else {
      CHECK(cell.alike == std::vector<std::size_t>{cell.number - of_level});
      CHECK(plan[cell.alike.front()].level == 2);
      CHECK(plan[cell.alike.front()].variant.operand == plan[cell.number].variant.operand);
    }
  }
}

TEST_CASE("a cell whose higher level is finished already, or not wanted, is made by itself") {
  Shipped shipped;
  const auto plan = shipped.plan({"add.u32"}, {2, 3});
  auto cells = line_cells(plan);
  const auto of_level = cells.size() / 2;
  cells.pop_back();  // the last of -O3
  const auto alike = with_alike(plan, cells);
  CHECK(alike.size() == of_level);
  CHECK(std::count_if(alike.begin(), alike.end(), [](const line::Cell& cell) { return cell.level == 2; }) == 1);
  const auto alone = shipped.plan({"add.u32"}, {2});
  for (const auto& cell : with_alike(alone, line_cells(alone))) CHECK(cell.alike.empty());
}

TEST_CASE("the line's cells name the plan's by their index, with their level and length") {
  Shipped shipped;
  const auto plan = shipped.plan({"add.u32"}, {0, 3});
  const auto cells = line_cells(plan);
  REQUIRE(cells.size() == plan.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    CHECK(cells[i].number == i);
    CHECK(cells[i].level == plan[i].level);
    CHECK(cells[i].ptx_bytes == plan[i].ptx_bytes);
    CHECK(cells[i].ptx_bytes > 0);
  }
}
