// SPDX-License-Identifier: Apache-2.0
#include "catalogue_text.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::isa;
using Names = std::vector<std::string>;

TEST_CASE("an entry becomes the cross product of its axes, in the order of the syntax") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "add"
syntax = "add{rnd}{ftz}.f32 {d:f32}, {a:f32}, {b:f32}"
ftz    = ["", ".ftz"]
rnd    = [".rn", ".rz"]
)");
  CHECK(spellings(text.load()) == Names{"add.rn.f32", "add.rn.ftz.f32", "add.rz.f32", "add.rz.ftz.f32"});
}

TEST_CASE("only and except keep the combinations that the PTX ISA has") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "x"
syntax = "x{sat}{ftz}.{type} {d:u32}, {a:u32}"
sat    = ["", ".sat"]
ftz    = ["", ".ftz"]
type   = ["u32", "s32", "f32"]
only   = ["sat=.sat & ftz= -> type=s32", "ftz=.ftz -> type=f32"]
except = ["type!=u32|s32 & sat=.sat"]
)");
  CHECK(spellings(text.load()) == Names{"x.u32", "x.s32", "x.f32", "x.ftz.f32", "x.sat.s32"});
}

TEST_CASE("an operand's type follows an axis, directly or through a table") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "mul"
syntax = "mul.wide.{type} {d:wide(type)}, {a:type}, {n:imm}"
type   = ["u16", "u32"]
wide   = {u16 = "u32", u32 = "u64"}
values = {a = "1", n = "7"}
consumers = ["eat"]
)");
  const Catalogue catalogue = text.load();
  const Form& form = form_called(catalogue, "mul.wide.u32");
  CHECK(form.text == "mul.wide.u32 {d}, {a}, {n}");
  REQUIRE(form.operands.size() == 3);
  CHECK((form.operands[0].type == "u64" && form.operands[0].is_result));
  CHECK((form.operands[1].type == "u32" && !form.operands[1].is_result));
  CHECK(form.operands[2].type == "imm");
  CHECK(form.dependence == Names{"a"});
  CHECK(form_called(catalogue, "mul.wide.u16").operands[0].type == "u32");
}

TEST_CASE("braces that enclose no name are PTX's own") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "mov"
syntax = "mov.b64 {{d:u32}, {d1:u32}}, {a:u32}"
)");
  const Catalogue catalogue = text.load();
  CHECK(catalogue.forms[0].text == "mov.b64 {{d}, {d1}}, {a}");
  CHECK(catalogue.forms[0].operands[1].is_result);
}

TEST_CASE("the strictest of the requirements that apply counts") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "x"
syntax = "x{sat}.{type} {d:u32}, {a:u32}"
sat    = ["", ".sat"]
type   = ["u32", "f32"]
ptx    = "7.8"
target = "sm_80"
needs  = ["sat=.sat -> ptx 8.0 sm_90a", "type=f32 -> ptx 7.0 sm_90", "sat=.sat & type=f32 -> ptx 7.10"]
)");
  const Catalogue catalogue = text.load();
  const auto needs = [&](const std::string& ptx) { return form_called(catalogue, ptx).requirement; };
  CHECK((needs("x.u32").ptx_major == 7 && needs("x.u32").ptx_minor == 8));
  CHECK(targets_text(needs("x.u32")) == "sm_80");
  CHECK(targets_text(needs("x.f32")) == "sm_90");
  CHECK(needs("x.f32").ptx_minor == 8);
  CHECK(needs("x.sat.f32").ptx_major == 8);
  CHECK(targets_text(needs("x.sat.f32")) == "sm_90 and sm_90a");
}

TEST_CASE("the carry is an operand that the text does not show") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "addc"
syntax = "addc.cc.u32 {d:u32}, {a:u32}"
carry  = "inout"
)");
  const Catalogue catalogue = text.load();
  const Form& form = catalogue.forms[0];
  CHECK(form.text == "addc.cc.u32 {d}, {a}");
  REQUIRE(form.operands.size() == 4);
  CHECK((form.operands[1].type == "carry" && form.operands[1].is_result));
  CHECK((form.operands[3].type == "carry" && !form.operands[3].is_result));
  CHECK(form.dependence == Names{"a", "cc"});
}

TEST_CASE("every dependence operand of every input class is a variant, but for literals") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "div"
syntax = "div.u32 {d:u32}, {a:u32}, {b:u32}"
inputs = [{name = "power of two", b = "8"}, {name = "known", b = "= 7"}]
)");
  const Catalogue catalogue = text.load();
  Names rows;
  for (const Variant& variant : variants_of(catalogue.forms[0])) {
    rows.push_back(variant.operand + "/" + variant.input->name);
  }
  CHECK(rows == Names{"a/", "b/", "a/power of two", "b/power of two", "a/known"});
}

TEST_CASE("a class of values is of the forms for which its condition holds, and may need more than they do") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "div"
syntax = "div.{type} {d:type}, {a:type}, {b:type}"
type   = ["u32", "f32"]
target = "sm_50"
inputs = [{name = "float", if = "type=f32", b = "8.0"}, {name = "newer", a = "9", ptx = "7.4", target = "sm_80"}]
)");
  const Catalogue catalogue = text.load();
  const Form &plain = form_called(catalogue, "div.u32"), &real = form_called(catalogue, "div.f32");
  REQUIRE((plain.inputs.size() == 2 && real.inputs.size() == 3));
  CHECK(plain.inputs[1].name == "newer");
  CHECK(real.inputs[1].name == "float");
  CHECK(real.inputs[1].requirement == Requirement{});
  CHECK(real.inputs[2].requirement.ptx_minor == 4);
  CHECK(targets_text(real.inputs[2].requirement) == "sm_80");
}

TEST_CASE("a condition on a missing axis and a malformed version are mistakes of the class") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "div"
syntax = "div.{type} {d:type}, {a:type}, {b:type}"
type   = ["u32", "f32"]
inputs = [{name = "x", if = "typ=f32", b = "8.0"}, {name = "y", a = "9", ptx = "seven", target = "sm_x"}]
)");
  const auto mistakes = text.mistakes();
  CHECK(mistakes.find("there is no axis \"typ\"") != std::string::npos);
  CHECK(mistakes.find("ptx = \"seven\"") != std::string::npos);
  CHECK(mistakes.find("target = \"sm_x\"") != std::string::npos);
}

TEST_CASE("an operand that no class names takes the default of its type and position") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "div"
syntax = "div.u32 {d:u32}, {a:u32}, {b:u32}, {c:u32}"
default_input = "irregular"
values = {c = "100"}
inputs = [{name = "power of two", b = "8"}]
)");
  const Catalogue catalogue = text.load();
  const Form& form = catalogue.forms[0];
  CHECK(form.inputs[0].name == "irregular");
  CHECK(value_of(catalogue, form, form.inputs[0], form.operands[2]).first == "5");
  CHECK(value_of(catalogue, form, form.inputs[1], form.operands[2]).first == "8");
  CHECK(value_of(catalogue, form, form.inputs[1], form.operands[1]).last == "71");
  CHECK(value_of(catalogue, form, form.inputs[1], form.operands[3]).first == "100");
}

TEST_CASE("a form that cannot be measured makes one variant and says why") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "nanosleep"
syntax = "nanosleep.u32 {a:u32}"
not_measurable = "it waits"
)");
  const Catalogue catalogue = text.load();
  CHECK(catalogue.forms[0].not_measurable == "it waits");
  REQUIRE(variants_of(catalogue.forms[0]).size() == 1);
  CHECK(variants_of(catalogue.forms[0])[0].operand.empty());
}

TEST_CASE("forms with the same spelling and different operands are distinguished by their operands") {
  const CatalogueText text(preamble + R"(
[[op]]
name   = "min"
syntax = "min.f32 {d:f32}, {a:f32}"
[[op]]
name   = "min"
syntax = "min.f32 {d:f32}, {a:f32}, {b:f32}"
)");
  CHECK(spellings(text.load()) == Names{"min.f32", "min.f32 d, a, b"});
}

TEST_CASE("a user's own folder adds forms to the built-in catalogue") {
  const CatalogueText own(R"(
chapter = "mine"
[[op]]
name   = "add"
syntax = "add.mine.u32 {d:u32}, {a:u32}, {b:u32}"
)");
  const Catalogue catalogue =
      load_catalogue({std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates/isa", own.folder()});
  CHECK(catalogue.forms.back().ptx == "add.mine.u32");
  CHECK(catalogue.forms.back().chapter == "mine");
  CHECK(catalogue.forms.back().where.line == 3);
}
