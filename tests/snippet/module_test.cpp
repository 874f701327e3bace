// SPDX-License-Identifier: Apache-2.0

// A kernel that a compiler wrote, or some of its lines, as a snippet.
#include "snippet/module.h"

#include "../ptx/shipped_catalogue.h"
#include "base/error.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::snippet;

namespace {

// Line 1 is ".version".
const std::string header = ".version 8.0\n.target sm_90, debug\n.address_size 64\n.file 1 \"a.cu\"\n";
const std::string saxpy = header +
                          R"(.extern .shared .align 16 .b8 smem[];
.global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
.visible .entry saxpy(
	.param .u64 p0,
	.param .f32 p1
)
.maxntid 128, 1, 1
{
	.reg .pred 	%p<2>;
	.reg .f32 	%f<6>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<5>;
	ld.param.u64 	%rd1, [p0];
	ld.param.f32 	%f1, [p1];
	.loc 1 12 3
	mov.u32 	%r1, %tid.x;
	setp.ge.s32 	%p1, %r1, 77;
	@%p1 bra 	$L__BB0_2;
	.loc 1 40 9, function_name $L__info_string0, inlined_at 1 13 5
	mul.wide.s32 	%rd3, %r1, 4;
	add.s64 	%rd4, %rd1, %rd3;
	ld.global.f32 	%f2, [%rd4];
	.loc 1 14 3
	fma.rn.f32 	%f3, %f2, %f1, 0f3F800000;
	st.global.f32 	[%rd4], %f3;
$L__BB0_2:
	ret;
}
)";
const std::string loop = R"(.func (.param .b32 result) count(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [x];
$L1:
	add.u32 %r2, %r1, 3;
	bra $L1;
	st.param.b32 [result], %r2;
	ret;
}
)";

Text read(const std::string& text, const std::optional<Lines>& lines = std::nullopt, LinesOf of = LinesOf::ptx) {
  return snippet_of(parse_module(text, "k.ptx"), "k.ptx", lines, of);
}

std::vector<std::string> opcodes_of(const Text& text) {
  std::vector<std::string> opcodes;
  for (const auto& statement : text.statements) opcodes.push_back(statement.opcode);
  return opcodes;
}

std::string error_in(const std::string& text, const std::optional<Lines>& lines = std::nullopt) {
  try {
    read(text, lines);
  } catch (const Error& error) {
    return error.what() + (" | " + error.advice);
  }
  return {};
}

using Opcodes = std::vector<std::string>;

}  // namespace

TEST_CASE("a kernel is its instructions without what loads its parameters and what ends it") {
  const auto text = read(saxpy);
  CHECK(opcodes_of(text) ==
        Opcodes{"mov.u32", "setp.ge.s32", "mul.wide.s32", "add.s64", "ld.global.f32", "fma.rn.f32", "st.global.f32"});
  INFO("the early exit's condition is no result");
  CHECK(text.not_results == std::set<std::string>{"%p1"});
  REQUIRE(text.remarks.size() == 1);
  CHECK(text.remarks.front() == "22:7: the early exit is left out");
  INFO("only the registers that it uses are declared");
  CHECK(text.declared.size() == 8);
}

TEST_CASE("lines of a kernel are a snippet whose results are what the rest of the kernel reads") {
  const auto text = read(saxpy, Lines{24, 25});
  CHECK(opcodes_of(text) == Opcodes{"mul.wide.s32", "add.s64"});
  CHECK(text.read_elsewhere.contains("%rd4"));
  CHECK_FALSE(text.read_elsewhere.contains("%rd3"));
  INFO("lines of the source, also where the code was inlined");
  CHECK(opcodes_of(read(saxpy, Lines{13, 13}, LinesOf::source)) == Opcodes{"mul.wide.s32", "add.s64", "ld.global.f32"});
  CHECK(opcodes_of(read(saxpy, Lines{14, 20}, LinesOf::source)) == Opcodes{"fma.rn.f32", "st.global.f32"});
}

TEST_CASE("a kernel is chosen before functions, and by its lines") {
  CHECK(read(saxpy + loop).statements.size() == 7);
  const auto both = saxpy + ".visible .entry empty() { ret; }\n" + saxpy.substr(saxpy.find(".visible"));
  CHECK(error_in(both).find("2 kernels or functions are meant: saxpy in lines 20 to 29, saxpy in lines") !=
        std::string::npos);
  CHECK(read(both, Lines{20, 29}).statements.size() == 7);
  CHECK(error_in(saxpy, Lines{1, 3}).find("lines 1 to 3 have no instruction | it has saxpy in lines") !=
        std::string::npos);
}

TEST_CASE("a function's result is what it stores for its caller, and only lines without branches are taken") {
  CHECK(error_in(header + loop).find("k.ptx:11:2: bra of count: only code without branches") != std::string::npos);
  const auto text = read(header + loop, Lines{10, 10});
  CHECK(opcodes_of(text) == Opcodes{"add.u32"});
  CHECK(text.read_elsewhere.contains("%r2"));
}

TEST_CASE("a text that is no module is one snippet, with or without its frame") {
  CHECK(opcodes_of(read_ptx("ld.param.u32 a, [x];\nadd.u32 b, a, a;\nret;", "snippet", std::nullopt)) ==
        Opcodes{"add.u32"});
  INFO("a load of a parameter alone is what is meant");
  CHECK(opcodes_of(read_ptx("ld.param.u32 a, [x];", "snippet", std::nullopt)) == Opcodes{"ld.param.u32"});
  CHECK(opcodes_of(read_ptx("add.u32 b, a, a;\nmul.lo.u32 c, b, b;", "snippet", Lines{2, 2})) == Opcodes{"mul.lo.u32"});
  CHECK_THROWS_AS(read_ptx("add.u32 b, a, a;", "snippet", Lines{2, 3}), Error);
}

TEST_CASE("lines are two numbers with a colon, or one") {
  CHECK(lines_from("10:20").first == 10);
  CHECK(lines_from("10:20").last == 20);
  CHECK(lines_from("7").last == 7);
  for (const char* wrong : {"", "a", "0:3", "5:4", "3:", ":3", "1:2:3", "-1"})
    CHECK_THROWS_AS(lines_from(wrong), Error);
}

TEST_CASE("of a compiler's kernel the stored value is the result, and not the rest of a vector") {
  const auto text = read(header + R"(.visible .entry add(
	.param .u64 .ptr .global .align 1 add_param_0
)
.reqntid 128, 1, 1
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<9>;
	.reg .f32 	%f<3>;
	.reg .b64 	%rd<4>;
	ld.param.u64 	%rd1, [add_param_0];
	// begin inline asm
	mov.u32 %r1, 0x0;
	mov.u32 %r2, 0x0;
	@%p1 ld.global.v2.b32 { %r1, %r2 }, [ %rd1 + 0 ];
	// end inline asm
	mov.b32 	%f1, %r1;
	add.f32 	%f2, %f1, %f1;
	mov.b32 	%r3, %f2;
	@%p1 st.global.b32 [ %rd1 + 0 ], { %r3 };
	ret;
}
	.section	.debug_abbrev
	{
.b8 1
	}
)");
  static const Syntaxes syntaxes(shipped().catalogue);
  const auto snippet = understand(text, "k.ptx", syntaxes, shipped().catalogue, {});
  REQUIRE(snippet.results.size() == 1);
  CHECK(snippet.values[snippet.results.front()].name == "%r3");
}
