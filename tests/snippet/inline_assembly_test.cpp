// SPDX-License-Identifier: Apache-2.0

// CUDA C's inline assembly as the PTX of a snippet.
#include "snippet/inline_assembly.h"

#include "base/error.h"
#include "catch.h"
#include "understood.h"

using namespace ptxlat;
using snippet::ptx_of_inline_assembly;

TEST_CASE("strings alone are joined, and everything else is not inline assembly") {
  CHECK(ptx_of_inline_assembly(R"( "mul.lo.u32 t, %r1, b;\n\t" "add.u32 d, t, c;")") ==
        "mul.lo.u32 t, %r1, b;\n\tadd.u32 d, t, c;;");
  CHECK_FALSE(ptx_of_inline_assembly("add.u32 d, a, b"));
  CHECK_FALSE(ptx_of_inline_assembly("asmlike.u32 d, a, b"));
}

TEST_CASE("operands have the names of their variables and the types of their constraints") {
  const auto ptx = ptx_of_inline_assembly(
      R"(asm volatile("{.reg .pred %%p; setp.lt.f32 %%p, %1, %[two]; selp.b32 %0, %3, 0, %%p;}" )"
      R"(: "=r"(out[i]) : "f"(x), [two] "f"(y), "n"(7) : "memory");)");
  CHECK(ptx ==
        "{.reg .pred %p; setp.lt.f32 %p, x, y; selp.b32 operand_0, 7, 0, %p;}; .reg .b32 operand_0; .reg .f32 x; "
        ".reg .f32 y;\n// results: operand_0");
}

TEST_CASE("inline assembly is a snippet with the outputs as results") {
  const auto snippet = understood(
      *ptx_of_inline_assembly(R"(asm("mul.lo.u32 %1, %0, %2; add.u32 %0, %1, %0;" : "+r"(a), "=r"(t) : "r"(b)))"));
  REQUIRE(snippet.results.size() == 2);
  CHECK(snippet.values[snippet.results[0]].name == "a");
  CHECK(snippet.values[snippet.results[1]].name == "t");
  CHECK(snippet.sources.size() == 2);
}

TEST_CASE("inline assembly that is not whole is refused where it ends") {
  const auto error_of = [](const std::string& text) {
    try {
      ptx_of_inline_assembly(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(error_of("asm(\"add.u32 %0, %1, %1;") == "asm:1:25: this string is never closed");
  CHECK(error_of("asm(\"x %0;\" : \"=r\"(d)") == "");
  CHECK(error_of("asm(\"x %0;\" : \"=r\"(d") == "asm:1:21: this parenthesis is never closed");
  CHECK(error_of("asm(\"x %3;\" : \"=r\"(d))") == "asm:1:1: there is no operand %3");
  CHECK(error_of("asm(\"x %[e];\" : \"=r\"(d))") == "asm:1:1: there is no operand %[e]");
  CHECK(error_of("asm(\"x;\") + 1") == "asm:1:11: \"+\" is not expected here");
}
