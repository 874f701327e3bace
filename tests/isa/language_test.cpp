// SPDX-License-Identifier: Apache-2.0

// What the catalogue's language can say beyond axes and rules: modifiers, tables of text, vectors, objects, texts
// around the instruction.
#include "catalogue_text.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::isa;
using Names = std::vector<std::string>;

namespace {

std::map<std::string, std::string> cores(const Catalogue& catalogue) {
  std::map<std::string, std::string> found;
  for (const Form& form : catalogue.forms) found[form.ptx] = form.core;
  return found;
}

const std::string two_objects = R"(
[[object]]
name    = "near"
each    = "add.u64 {r}, %memory, {o};"
address = true
[[object]]
name     = "far"
register = "b32"
each     = "mov.u32 {r}, 7;"
)";

}  // namespace

TEST_CASE("the audit is strict if all operands are registers, unless the entry or its file says otherwise") {
  const std::string entries = R"(
[[op]]
name   = "plain"
syntax = "plain.{type} {d:type}, {a:type}"
type   = ["u32", "f32"]
[[op]]
name   = "load"
syntax = "load.u32 {d:u32}, [{a:near}]"
[[op]]
name   = "vote"
syntax = "vote.u32 {d:u32}, {a:u32}"
audit  = "effects"
[[op]]
name   = "address"
syntax = "address.u32 {d:u32}, {a:near}"
audit  = "arithmetic"
)" + two_objects;
  const auto rules = [](const std::string& text) {
    std::map<std::string, AuditRule> found;
    for (const Form& form : CatalogueText(text).load().forms) found[form.opcode] = form.audit;
    return found;
  };
  using enum AuditRule;
  CHECK(rules(preamble + entries) ==
        std::map<std::string, AuditRule>{
            {"plain", arithmetic}, {"load", effects}, {"vote", effects}, {"address", arithmetic}});
  CHECK(rules("audit = \"effects\"\n" + preamble + entries) ==
        std::map<std::string, AuditRule>{
            {"plain", effects}, {"load", effects}, {"vote", effects}, {"address", arithmetic}});
}

TEST_CASE("the first of the forms that only differ in modifiers represents them") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "add"
syntax = "add{rnd}{ftz}.{type} {d:type}, {a:type}"
rnd    = ["", ".rn", ".rz"]
ftz    = ["", ".ftz"]
type   = ["f32", "u32"]
only   = ["type=u32 -> rnd=.rn & ftz="]
modifiers = ["rnd", "ftz"]
)");
  const auto core = cores(text.load());
  REQUIRE(core.size() == 7);
  for (const char* like : {"add.f32", "add.ftz.f32", "add.rn.f32", "add.rz.ftz.f32"}) CHECK(core.at(like) == "add.f32");
  CHECK(core.at("add.rn.u32") == "add.rn.u32");
}

TEST_CASE("a single modifier that changes the machine code makes a core form") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "add"
syntax = "add{rnd}{ftz}{hint}.{type} {d:type}, {a:type}"
rnd    = [".rn", ".rz"]
ftz    = ["", ".ftz"]
hint   = ["", ".hint"]
type   = ["f32", "u32"]
only   = ["type=u32 -> rnd=.rz & hint="]
modifiers      = ["hint"]
core_modifiers = ["rnd", "ftz"]
)");
  const auto core = cores(text.load());
  REQUIRE(core.size() == 10);
  for (const char* own : {"add.rn.f32", "add.rz.f32", "add.rn.ftz.f32", "add.rz.u32", "add.rz.ftz.u32"})
    CHECK(core.at(own) == own);
  for (const char* like : {"add.rn.hint.f32", "add.rz.ftz.f32", "add.rz.hint.f32", "add.rn.ftz.hint.f32"})
    CHECK(core.at(like) == "add.rn.f32");
}

TEST_CASE("every form is core if an entry names no modifiers, and none if it says so") {
  const std::string entry = "\n[[op]]\nname = \"x\"\nsyntax = \"x{m} {d:u32}, {a:u32}\"\nm = [\"\", \".m\"]\n";
  CHECK(cores(CatalogueText(preamble + entry).load()) ==
        std::map<std::string, std::string>{{"x", "x"}, {"x.m", "x.m"}});
  CHECK(cores(CatalogueText(preamble + entry + "core = false\n").load()) ==
        std::map<std::string, std::string>{{"x", ""}, {"x.m", ""}});
}

TEST_CASE("a condition says which forms of an entry are core") {
  const std::string entry = "\n[[op]]\nname = \"x\"\nsyntax = \"x{m}{n} {d:u32}, {a:u32}\"\nm = [\"\", \".m\"]\n";
  CHECK(cores(CatalogueText(preamble + entry + "n = [\".8\", \".16\", \".24\"]\nmodifiers = [\"m\"]\n" +
                            "core = \"n=.8|.16\"\n")
                  .load()) ==
        std::map<std::string, std::string>{
            {"x.8", "x.8"}, {"x.m.8", "x.8"}, {"x.16", "x.16"}, {"x.m.16", "x.16"}, {"x.24", ""}, {"x.m.24", ""}});
}

TEST_CASE("the long name of a state space makes no core form of its own beside the short one") {
  const auto core = cores(CatalogueText(preamble + R"(
[[op]]
name   = "x"
syntax = "x{space} {d:u32}, {a:u32}"
space  = ["", ".shared", ".shared::cta", ".shared::cluster", ".param", ".param::entry"]
[[op]]
name   = "y"
syntax = "y{space} {d:u32}, {a:u32}"
space  = ["", ".shared::cta"]
)")
                              .load());
  CHECK(core == std::map<std::string, std::string>{{"x", "x"},
                                                   {"x.shared", "x.shared"},
                                                   {"x.shared::cta", "x.shared"},
                                                   {"x.shared::cluster", "x.shared::cluster"},
                                                   {"x.param", "x.param"},
                                                   {"x.param::entry", "x.param"},
                                                   {"y", "y"},
                                                   {"y.shared::cta", "y.shared::cta"}});
}

TEST_CASE("a core form that is called by its operands is called so by those it stands for") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "min"
syntax = "min.f32 {d:f32}, {a:f32}"
[[op]]
name   = "min"
syntax = "min{nan}.f32 {d:f32}, {a:f32}, {b:f32}"
nan    = ["", ".nan"]
modifiers = ["nan"]
)");
  const auto core = cores(text.load());
  CHECK(core.at("min.f32") == "min.f32");
  CHECK(core.at("min.f32 d, a, b") == "min.f32 d, a, b");
  CHECK(core.at("min.nan.f32") == "min.f32 d, a, b");
}

TEST_CASE("a table can hold text, and the text operands") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "ld"
syntax = "ld{hint}.{type} {d:type}, {a:u32}{policy(hint)}"
hint   = ["", ".L2::cache_hint"]
policy = {"" = "", ".L2::cache_hint" = ", {p:u32}, {type}"}
type   = ["u32"]
)");
  const Catalogue catalogue = text.load();
  CHECK(form_called(catalogue, "ld.u32").text == "ld.u32 {d}, {a}");
  const Form& hinted = form_called(catalogue, "ld.L2::cache_hint.u32");
  CHECK(hinted.text == "ld.L2::cache_hint.u32 {d}, {a}, {p}, u32");
  REQUIRE(hinted.operands.size() == 3);
  CHECK(hinted.operands[2].name == "p");
  CHECK(hinted.dependence == Names{"a", "p"});
}

TEST_CASE("an operand of some forms can have a value and a dependence in those alone") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "x"
syntax = "x{m} {d:u32}, {a:u32}{more(m)}"
m      = ["", ".m"]
more   = {"" = "", ".m" = ", {p:u32}"}
values = {p = "12"}
dependence = ["a", "p"]
)");
  const Catalogue catalogue = text.load();
  CHECK(form_called(catalogue, "x").dependence == Names{"a"});
  CHECK_FALSE(form_called(catalogue, "x").inputs[0].values.contains("p"));
  CHECK(form_called(catalogue, "x.m").dependence == Names{"a", "p"});
  CHECK(form_called(catalogue, "x.m").inputs[0].values.at("p").first == "12");
}

TEST_CASE("a count is a number, an axis or from a table, and empty if there is no vector") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "x"
syntax = "x{vec}.n{n} {d:u32[count(vec)]}, {a:u32[n]}, {b:u32[3]}"
vec    = ["", ".v1", ".v4"]
count  = {"" = "", ".v1" = "1", ".v4" = "4"}
n      = ["2"]
)");
  const Catalogue catalogue = text.load();
  const auto counts = [&](const std::string& ptx) {
    std::vector<int> found;
    for (const Operand& operand : form_called(catalogue, ptx).operands) found.push_back(operand.count);
    return found;
  };
  CHECK(counts("x.n2") == std::vector<int>{0, 2, 3});
  CHECK(counts("x.v1.n2") == std::vector<int>{1, 2, 3});
  CHECK(counts("x.v4.n2") == std::vector<int>{4, 2, 3});
  CHECK(access_bytes(form_called(catalogue, "x.v4.n2")) == 16);
}

TEST_CASE("a table can give an object, and an address can carry a dependence") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "ld"
syntax = "ld.{space}.u32 {d:u32}, [{a:memory(space)}]"
space  = ["n", "f"]
memory = {n = "near", f = "far"}
)" + two_objects);
  const Catalogue catalogue = text.load();
  const Form& near = form_called(catalogue, "ld.n.u32");
  CHECK(near.operands[1].type == "near");
  CHECK(near.dependence == Names{"a"});
  CHECK(form_called(catalogue, "ld.f.u32").dependence.empty());
  const Value offset = value_of(catalogue, near, near.inputs[0], near.operands[1]);
  CHECK((offset.first == "0" && offset.last == "124"));  // lane 31's word
}

TEST_CASE("a class can replace an operand's object and the texts around the instruction") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "ld"
syntax = "ld.u32 {d:u32}, [{a:near}]"
before = "first {a};"
completion_is = "use"
inputs = [{name = "elsewhere", a = "@far", before = "second;", prepare = "third;", completion = "fourth;", completion_is = "read back"},
          {name = "here", a = "64"}]
)" + two_objects);
  const Catalogue catalogue = text.load();
  const Form& form = catalogue.forms[0];
  REQUIRE(form.inputs.size() == 3);
  const auto object = [&](std::size_t input) {
    return object_of(catalogue, form.inputs[input], form.operands[1])->name;
  };
  CHECK((object(0) == "near" && object(1) == "far" && object(2) == "near"));
  CHECK(form.inputs[0].before == "first {a};");
  CHECK((form.inputs[1].before == "second;" && form.inputs[1].prepare == "third;"));
  CHECK(form.inputs[1].completion == "fourth;");
  CHECK(form.inputs[1].completion_is == Completion::read_back);
  CHECK(form.inputs[2].completion_is == Completion::use);
  CHECK((form.inputs[2].before == "first {a};" && form.inputs[2].completion.empty()));
  CHECK(value_of(catalogue, form, form.inputs[2], form.operands[1]).first == "64");
}

TEST_CASE("texts around an instruction fill axes and tables and keep every other hole") {
  const CatalogueText text(preamble + R"(
[[op]]
name    = "x"
syntax  = "x.{type} {d:type}, {a:type}"
type    = ["u32"]
size    = {u32 = "4"}
around  = "L_{#}: {op} {size(type)}"
cleanup = "c.{type} {a.0}, {t0};"
prepare = "p {size(type)}, {nothing};"
directives = ".maxnreg {size(type)}"
)");
  const Catalogue catalogue = text.load();
  const Form& form = catalogue.forms[0];
  CHECK(form.inputs.front().around == "L_{#}: {op} 4");
  CHECK(form.cleanup == "c.u32 {a.0}, {t0};");
  CHECK(form.inputs[0].prepare == "p 4, {nothing};");
  CHECK(form.directives == ".maxnreg 4");
}

TEST_CASE("an accumulator is result and source") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "wgmma"
syntax = "wgmma {d:f32[2]}, {a:u32}"
inout  = ["d"]
)");
  const Form form = text.load().forms[0];
  CHECK((form.operands[0].is_result && form.operands[0].is_inout));
  CHECK(form.dependence == Names{"d", "a"});
}

TEST_CASE("a wait has a dependence only if the entry names one") {
  const std::string entry = "\n[[op]]\nname = \"x\"\nsyntax = \"x {d:u32}, {a:u32}\"\ncompletion = \"wait;\"\n";
  CHECK(CatalogueText(preamble + entry).load().forms[0].dependence.empty());
  CHECK(CatalogueText(preamble + entry + "dependence = [\"a\"]\n").load().forms[0].dependence == Names{"a"});
}

TEST_CASE("a form without a result or without a source needs no reason") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "prefetch"
syntax = "prefetch {a:u32}"
[[op]]
name   = "mov"
syntax = "mov.u32 {d:u32}, %laneid"
)");
  for (const Form& form : text.load().forms) {
    CHECK(form.dependence.empty());
    CHECK(variants_of(form).size() == 1);
  }
}
