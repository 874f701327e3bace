// SPDX-License-Identifier: Apache-2.0

// Entries of CUDA C: a call in place of a syntax.
#include "catalogue_text.h"
#include "catch.h"
#include "isa/select.h"

using namespace ptxlat;
using namespace ptxlat::isa;
using Names = std::vector<std::string>;

TEST_CASE("a call makes forms that are called by their functions, one for each option of the compiler") {
  const CatalogueText text(preamble + R"toml(
[[op]]
call     = "{d:f32} = {function}({a:f32}, {b:f32})"
function = ["powf", "fmodf"]
header   = "math.h"
options  = ["", "--use_fast_math"]
values   = {b = "1.5"}
)toml");
  const auto catalogue = text.load();
  CHECK(spellings(catalogue) == Names{"powf", "powf --use_fast_math", "fmodf", "fmodf --use_fast_math"});
  const Form& form = form_called(catalogue, "powf --use_fast_math");
  CHECK(form.opcode == "powf");
  CHECK(form.core == form.ptx);
  CHECK(form.dependence == Names{"a", "b"});
  REQUIRE(form.cuda);
  CHECK(form.cuda->statement == "{d} = powf({a}, {b})");
  CHECK(form.cuda->header == "math.h");
  CHECK(form.cuda->option == "--use_fast_math");
  // Until a compiler has made PTX of it, no kernel can be made of the form.
  CHECK_FALSE(form.unsupported_because.empty());
  CHECK(form_called(catalogue, "powf").cuda->option.empty());
}

TEST_CASE("results through pointers are results, and a header at the top holds for the file") {
  const CatalogueText text("header = \"cuda_fp16.h\"\n" + preamble + R"toml(
[[op]]
call = "sincosf({a:f32}, &{d0:f32}, &{d1:f32})"
)toml");
  const auto catalogue = text.load();
  const Form& form = form_called(catalogue, "sincosf");
  CHECK(form.cuda->header == "cuda_fp16.h");
  REQUIRE(form.operands.size() == 3);
  CHECK_FALSE(form.operands[0].is_result);
  CHECK(form.operands[1].is_result);
  CHECK(form.operands[2].is_result);
}

TEST_CASE("overloads are distinguished by the types of their arguments") {
  const CatalogueText text(preamble + R"toml(
[[op]]
call    = "{d:type} = min({a:type}, {b:type})"
type    = ["s32", "u32"]
values  = {a = "1 .. 9", b = "3"}
options = ["", "--x"]
)toml");
  CHECK(spellings(text.load()) ==
        Names{"min", "min --x", "min(unsigned int, unsigned int)", "min(unsigned int, unsigned int) --x"});
}

TEST_CASE("functions are selected by their operands' types, and by name with all their options") {
  const CatalogueText text(preamble + R"toml(
[[op]]
call    = "{d:f32} = f({a:f32})"
options = ["", "--x"]
[[op]]
call = "{d:u32} = g({a:u32})"
)toml");
  const auto catalogue = text.load();
  CHECK(select_forms(catalogue, {"f"}).size() == 2);
  const auto of_type = filtered(catalogue, select_forms(catalogue, {}), {false, {}, {"u32"}, {}, {}});
  REQUIRE(of_type.size() == 1);
  CHECK(of_type.front()->ptx == "g");
  CHECK_THROWS_AS(filtered(catalogue, select_forms(catalogue, {}), {false, {}, {"u33"}, {}, {}}), Error);
}

TEST_CASE("an expression that is not a call needs a name") {
  const CatalogueText text(preamble + R"toml(
[[op]]
name      = "{c} a {operation} b"
call      = "{d:type(c)} = {a:type(c)} {operation} {b:type(c)}"
c         = ["unsigned int"]
operation = ["/", "%"]
type      = {"unsigned int" = "u32"}
)toml");
  CHECK(spellings(text.load()) == Names{"unsigned int a / b", "unsigned int a % b"});
}

TEST_CASE("CUDA C functions are not part of the core unless their chapter is requested") {
  const std::filesystem::path templates = std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates";
  const auto catalogue = load_catalogue({templates / "isa", templates / "cuda"});
  const auto functions_among = [&](const FormFilter& filter) {
    const auto forms = filtered(catalogue, select_forms(catalogue, {}), filter);
    return std::count_if(forms.begin(), forms.end(), [](const Form* form) { return form->cuda.has_value(); });
  };
  CHECK(functions_among({true, {}, {}, {}, {}}) == 0);
  CHECK(functions_among({true, {"integer arithmetic"}, {}, {}, {}}) == 0);
  CHECK(functions_among({true, {"CUDA C: DPX"}, {}, {}, {}}) > 10);
  CHECK(functions_among({false, {}, {}, {}, {}}) > 900);
}

TEST_CASE("mistakes of entries of CUDA C") {
  const auto mistakes = [](const std::string& entry) {
    return CatalogueText(preamble + "[[op]]\n" + entry).mistakes();
  };
  CHECK(mistakes("call = \"{d:f32} = {a:f32} / {b:f32}\"\n") ==
        "a.toml:6: \"{d} = {a} / {b}\" calls no function: give it a name");
  CHECK(mistakes("call = \"{d:f32} = f({a:b8})\"\nvalues = {a = \"1\"}\n") ==
        "a.toml:6: operand \"a\": CUDA C has no type for b8");
  CHECK(mistakes("name = \"f\"\nsyntax = \"f {d:f32}, {a:f32}\"\nheader = \"x.h\"\n") ==
        "a.toml:9: \"header\" goes with a call = \"…\" of CUDA C");
  CHECK(mistakes("name = \"f\"\nsyntax = \"f {d:f32}, {a:f32}\"\ncall = \"{d:f32} = f({a:f32})\"\n")
            .starts_with("a.toml:6: an [[op]] has a syntax of PTX or a call of CUDA C"));
}

TEST_CASE("the shipped CUDA C functions load together with the shipped instructions") {
  const std::filesystem::path templates = std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates";
  const auto catalogue = load_catalogue({templates / "isa", templates / "cuda"});
  // GT200's Table IV (Wong et al., 2010) and the mathematical rows of Arafa et al. (2019), and one of each chapter.
  for (const char* function : {"__umulhi",
                               "__mulhi",
                               "__mul24",
                               "__umul24",
                               "__usad",
                               "__sad",
                               "__fadd_rn",
                               "__fadd_rz",
                               "__fmul_rn",
                               "__fmul_rz",
                               "__fdividef",
                               "__dadd_rn",
                               "__sinf",
                               "__cosf",
                               "__tanf",
                               "__exp10f",
                               "__expf",
                               "__log2f",
                               "__log10f",
                               "__logf",
                               "__powf",
                               "rsqrtf",
                               "sqrtf",
                               "sinf",
                               "cosf",
                               "tanf",
                               "expf",
                               "logf",
                               "powf",
                               "sin",
                               "exp",
                               "log",
                               "pow",
                               "erf",
                               "tgamma",
                               "fma",
                               "rsqrt",
                               "sqrt",
                               "__popc",
                               "__clzll",
                               "__ffs",
                               "__brev",
                               "__dp4a",
                               "__mul64hi",
                               "__byte_perm",
                               "__viaddmax_s32",
                               "__vadd2",
                               "__vimax3_s32_relu",
                               "__hadd2",
                               "__hfma2",
                               "h2sin",
                               "h2exp2",
                               "__float2int_rn",
                               "__double2hiint",
                               "abs",
                               "float a / b",
                               "double a / b",
                               "__float_as_int",
                               "sinf --use_fast_math"}) {
    INFO(function);
    CHECK(form_called(catalogue, function).cuda);
  }
}
