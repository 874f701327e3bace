// SPDX-License-Identifier: Apache-2.0

// The text of a snippet: statements, declarations, comments that name registers, and the place of a mistake.
#include "snippet/text.h"

#include "base/error.h"
#include "catch.h"

using namespace ptxlat;
using snippet::parse;

namespace {

std::string error_of(const std::string& text) {
  try {
    parse(text, "snippet");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a snippet is statements between semicolons, of which the last may have none") {
  const auto text = parse("mad.lo.u32 d, a, b, c;\n  @!%p ld.shared::cta.u32 %r1, [q+-4]", "snippet");
  REQUIRE(text.statements.size() == 2);
  CHECK(text.statements[0].opcode == "mad.lo.u32");
  CHECK(text.statements[0].operands.size() == 7);
  const auto& load = text.statements[1];
  CHECK(load.opcode == "ld.shared::cta.u32");
  CHECK(load.place == snippet::Place{2, 8});
  REQUIRE(load.guard);
  CHECK(load.guard->is_negated);
  CHECK(load.guard->name.text == "%p");
  CHECK(load.operands.back().text == "]");
  CHECK(load.operands[4].text == "+");
  CHECK(load.operands[5].text == "-4");
}

TEST_CASE("numbers are what PTX takes for them") {
  const auto text = parse("x a, -7, 0x1F, 0f3F800000, 1.5e-3, 7U, 0d3FF0000000000000", "snippet");
  std::vector<std::string> numbers;
  for (const auto& token : text.statements.front().operands) {
    if (token.kind == snippet::Token::Kind::number) numbers.push_back(token.text);
  }
  CHECK(numbers == std::vector<std::string>{"-7", "0x1F", "0f3F800000", "1.5e-3", "7U", "0d3FF0000000000000"});
}

TEST_CASE("a constant expression is one number, as it is written") {
  const auto numbers_in = [](const std::string& operands) {
    std::vector<std::string> numbers;
    const auto text = parse("x " + operands, "snippet");
    for (const auto& token : text.statements.front().operands) {
      if (token.kind == snippet::Token::Kind::number) numbers.push_back(token.text);
    }
    return numbers;
  };
  using Numbers = std::vector<std::string>;
  CHECK(numbers_in("d, (1<<4)|3, -(4 * 8), 2*WARP_SZ, ~0") == Numbers{"(1<<4)|3", "-(4*8)", "2*WARP_SZ", "~0"});
  CHECK(numbers_in("d, 7 % 4, 1e-3, WARP_SZ, a == 1") == Numbers{"7 % 4", "1e-3", "WARP_SZ", "1"});
  CHECK(numbers_in("d, [p+4*8], [q-2*4], {1+1, e}, {f, 0x3 & 2}") == Numbers{"4*8", "-2*4", "1+1", "0x3&2"});
  CHECK(numbers_in("p|q, !r, [a+4], (3").empty() == false);
  CHECK(numbers_in("p|q, !r, a").empty());
}

TEST_CASE("what makes no code is left out: places in a source, pragmas, spaces of editors and pages") {
  const auto text = parse(
      "\xEF\xBB\xBF.loc 1 12 5\nadd.f32 d,\xC2\xA0"
      "a, b;\n.pragma \"nounroll\";\n"
      ".loc 1 2 3, function_name $L, inlined_at 1 2 3\nmul.f32 e, d, d",
      "snippet");
  REQUIRE(text.statements.size() == 2);
  CHECK(text.statements[0].operands.size() == 5);
  CHECK(text.statements[0].place == snippet::Place{2, 1});
}

TEST_CASE("a character that PTX does not have is shown whole") {
  CHECK(error_of("add.u32 d, a, \xCE\xB2").find("\"\xCE\xB2\"") != std::string::npos);
  CHECK(error_of("\xE2\x80\x9C"
                 "add.u32 d, a, b")
            .find("\"\xE2\x80\x9C\"") != std::string::npos);
}

TEST_CASE("comments and braces around statements are left out, and special registers are one name") {
  const auto text = parse("{ /* two\nlines */ mov.u32 l, %tid.x; // the lane\n { add.u32 d, l, a; } }", "snippet");
  REQUIRE(text.statements.size() == 2);
  CHECK(text.statements[0].place == snippet::Place{2, 10});
  CHECK(text.statements[0].operands[2].text == "%tid.x");
  CHECK(text.statements[1].place == snippet::Place{3, 4});
}

TEST_CASE("registers are declared one by one and as ranges") {
  const auto text = parse(".reg .b32 t, %r<2>; .reg .pred p; setp.eq.u32 p, t, 0", "snippet");
  REQUIRE(text.declared.size() == 4);
  CHECK(text.declared[0].name == "t");
  CHECK(text.declared[2].name == "%r1");
  CHECK(text.declared[3].type == "pred");
}

TEST_CASE("comments mark sources and results, with a type or without") {
  const auto text = parse("// sources: a .u32, b\n// results: d .f32\nadd.u32 d, a, b;", "snippet");
  REQUIRE(text.sources.size() == 2);
  CHECK(text.sources[0].type == "u32");
  CHECK(text.sources[1].name == "b");
  CHECK(text.sources[1].type.empty());
  REQUIRE(text.results.size() == 1);
  CHECK(text.results[0].place == snippet::Place{2, 13});
}

TEST_CASE("a text that is not a list of instructions is an error with its place") {
  CHECK(error_of("add.u32 d, a, b;\nLOOP: add.u32 d, d, 1;") ==
        "snippet:2:1: the label LOOP: only code without branches is measured");
  CHECK(error_of("{ add.u32 d, a, b;") == "snippet:1:1: this brace is never closed");
  CHECK(error_of("add.u32 d, a, b; }") == "snippet:1:18: this brace closes nothing");
  CHECK(error_of("add.u32 d, a, b; /* and").starts_with("snippet:1:18: this comment is never closed"));
  CHECK(error_of(".reg .b33 t;") == "snippet:1:6: there is no register type .b33");
  CHECK(error_of(".reg .b32 t;\n.reg .b64 t;") == "snippet:2:11: t is declared a second time (first at 1:11)");
  CHECK(error_of(".shared .b32 x[4];").starts_with("snippet:1:1: the directive .shared is not allowed"));
  CHECK(error_of(".version 8.0\n.target sm_90\nadd.u32 d, a, b").empty());
  CHECK(error_of("add.u32 d, a # b").starts_with("snippet:1:14: \"#\" has no meaning"));
  CHECK(error_of("7 + a") == "snippet:1:1: an instruction is expected here, not \"7\"");
  CHECK(error_of("// sources: a, 7\nadd.u32 d, a, b").starts_with("snippet:1:16: a register is expected here"));
}
