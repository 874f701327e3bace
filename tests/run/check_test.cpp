// SPDX-License-Identifier: Apache-2.0
#include "run/check.h"

#include <filesystem>
#include <regex>

#include "../assemble/scripted_assembler.h"
#include "../isa/catalogue_text.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::run;

namespace {

// A module as an assembler got it, with the target it was for.
struct Seen {
  std::string ptx, target;
  int level;
};

class WatchedAssembler : public ScriptedAssembler {
 public:
  std::vector<Seen>& seen;
  explicit WatchedAssembler(std::vector<Seen>& modules) : seen(modules) {}
  assemble::ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) override {
    seen.push_back({ptx, target.name(), level});
    return ScriptedAssembler::assemble(ptx, target, level);
  }
};

struct Bench {
  CatalogueText text;
  ptx::LoadedCatalogue loaded{text.load(),
                              ptx::load_skeletons(std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates")};
  std::vector<Seen> seen;
  std::set<std::string> bad;
  std::optional<isa::Target> target;
  std::size_t finished = 0;

  explicit Bench(const std::string& entries) : text(preamble + entries) {}

  std::vector<Rejection> check() {
    std::vector<std::unique_ptr<assemble::Assembler>> assemblers;
    auto watched = std::make_unique<WatchedAssembler>(seen);
    watched->bad = bad;
    assemblers.push_back(std::move(watched));
    std::vector<const isa::Form*> forms;
    for (const auto& form : loaded.catalogue.forms) forms.push_back(&form);
    const assemble::Toolchain toolchain{assemble::ToolchainKind::ptxas, "ptxas-13.0.88", "13.0.88", {}, 9, 0};
    return check_forms({loaded, toolchain, target, nullptr, [&](std::size_t n) { finished += n; }}, assemblers, forms);
  }
};

const std::string four_types = R"(
[[op]]
name   = "x"
syntax = "x.{type} {d:u32}, {a:u32}"
type   = ["t0", "t1", "t2", "t3"]
needs  = ["type=t1 -> sm_90a|sm_100a", "type=t2 -> sm_103f"]
)";

}  // namespace

TEST_CASE("each form is assembled once, unoptimised, for the oldest target that has it") {
  Bench bench(four_types);
  CHECK(bench.check().empty());
  CHECK(bench.finished == 4);
  std::map<std::string, std::string> target_of;
  for (const auto& module : bench.seen) {
    CHECK(module.level == 0);
    CHECK(module.ptx.find(".version 9.0\n.target " + module.target + "\n") == 0);
    static const std::regex instruction(R"(\n  (x\.t\d) )");
    for (std::sregex_iterator match(module.ptx.begin(), module.ptx.end(), instruction), end; match != end; ++match)
      CHECK(target_of.emplace((*match)[1], module.target).second);
  }
  CHECK(target_of == std::map<std::string, std::string>{
                         {"x.t0", "sm_75"}, {"x.t1", "sm_90a"}, {"x.t2", "sm_103a"}, {"x.t3", "sm_75"}});
}

TEST_CASE("rejections come in the order of the forms, with the target and the assembler's words") {
  Bench bench(four_types);
  bench.bad = {"form_3", "form_1"};
  const auto rejections = bench.check();
  REQUIRE(rejections.size() == 2);
  CHECK((rejections[0].form->ptx == "x.t1" && rejections[0].target.name() == "sm_90a"));
  CHECK((rejections[1].form->ptx == "x.t3" && rejections[1].target.name() == "sm_75"));
  for (const auto& rejection : rejections) {
    CHECK_THAT(rejection.words, Catch::Matchers::Contains("is bad"));
    CHECK(rejection.words.find('\n') == std::string::npos);
  }
}

TEST_CASE("a target that was asked for is everybody's") {
  Bench bench(four_types);
  bench.target = isa::Target{120, "a"};
  CHECK(bench.check().empty());
  REQUIRE(bench.seen.size() == 1);
  CHECK(bench.seen.front().target == "sm_120a");
}

TEST_CASE("a form that no known target has is rejected without asking") {
  Bench bench("\n[[op]]\nname = \"x\"\nsyntax = \"x {d:u32}, {a:u32}\"\ntarget = \"sm_999a\"\n");
  const auto rejections = bench.check();
  REQUIRE(rejections.size() == 1);
  CHECK(rejections[0].words == "no target is known that has sm_999a");
  CHECK(bench.seen.empty());
}

TEST_CASE("declarations at module scope appear once, before all kernels") {
  Bench bench(R"(
[[op]]
name   = "x"
syntax = "x.{type} {d:u32}, [{a:table}]"
type   = ["t0", "t1", "t2"]
[[object]]
name   = "table"
module = ".const .b32 numbers[8];"
each   = "mov.u64 {r}, numbers;"
)");
  CHECK(bench.check().empty());
  REQUIRE(bench.seen.size() == 1);
  const auto& ptx = bench.seen.front().ptx;
  const auto first = ptx.find(".const .b32 numbers[8];");
  CHECK(first < ptx.find(".entry"));
  CHECK(ptx.find(".const .b32 numbers[8];", first + 1) == std::string::npos);
}

TEST_CASE("forms that cannot be measured are assembled nevertheless") {
  Bench bench("\n[[op]]\nname = \"exit\"\nsyntax = \"exit\"\nnot_measurable = \"it ends the kernel\"\n");
  CHECK(bench.check().empty());
  REQUIRE(bench.seen.size() == 1);
  CHECK(bench.seen.front().ptx.find("\n  exit;") != std::string::npos);
}
