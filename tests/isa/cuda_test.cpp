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
options = ["", "--fmad=false"]
)toml");
  CHECK(spellings(text.load()) == Names{"min", "min --fmad=false", "min(unsigned int, unsigned int)",
                                        "min(unsigned int, unsigned int) --fmad=false"});
}

TEST_CASE("functions are selected by their operands' types, and by name with all their options") {
  const CatalogueText text(preamble + R"toml(
[[op]]
call    = "{d:f32} = f({a:f32})"
options = ["", "--fmad=false"]
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

TEST_CASE("a call is one expression or one assignment, whatever else it tries to be") {
  const auto mistakes = [](const std::string& call, const std::string& more = {}) {
    return CatalogueText(preamble + "[[op]]\nname = \"mine\"\ncall = '''" + call + "'''\n" + more).mistakes();
  };
  for (const char* call :
       {"{d:u32} = {a:u32}", "{d:u32} = f({a:u32}) == {b:u32}", "{d:u32} = {a:u32} <= {b:u32} ? {a:u32} : 1",
        "{d:u32} = {a:u32} << 3 >> 2", "{d:f32} = -({a:f32} * 1.5e-3f)", "{d:u32} = T::f<int>({a:u32}, true)",
        "sincosf({a:f32}, &{d0:f32}, &{d1:f32})", "{d:f32} = f(4, &{a:f32[4]}.x)"}) {
    INFO(call);
    // An operand may be named once.
    const auto found = mistakes(call);
    CHECK((found.empty() || found.ends_with("appears twice")));
  }
  const std::string refused = "a.toml:6: a call is one expression, or one assignment to an operand: ";
  for (const auto& [call, why] : std::vector<std::pair<std::string, std::string>>{
           {"{d:u32} = {a:u32}\n#define A0 1+1\n+(A0)", "it has more than one line"},
           {"{d:u32} = {a:u32}\n", "it has more than one line"},
           {"{d:u32} = {a:u32}\r\n", "it has more than one line"},
           {"#include </etc/passwd>", "# is in no expression"},
           {"%:include </etc/passwd>", "%: is in no expression"},
           {"?"
            "?=include </etc/passwd>",
            "?"
            "? is in no expression"},
           {"{d:u32} = {a:u32} \\", "\\ is in no expression"},
           {"{d:u32} = {a:u32}; f()", "; is in no expression"},
           {"{d:u32} = {a:u32} <% 1 %>", "<% is in no expression"},
           {"{d:u32} = {a:u32} // + 1", "// is in no expression"},
           {"{d:u32} = {a:u32} /* + 1", "/* is in no expression"},
           {"{d:u32} = {a:u32} + R\"x\"", "\" is in no expression"},
           {"{d:u32} = {a:u32} + 'x'", "' is in no expression"},
           {"{d:u32} = x<:{a:u32}:>", "<: is in no expression"},
           {"{d:u32} = x[{a:u32}]", "[ is in no expression"},
           {"{d:u32} = {a:u32} + \u00e9", "a character that C++ does not use is in no expression"},
           {"__asm__({a:u32})", "__asm__ is in no expression"},
           {"as{m:u32}({d:u32})", "asm is in no expression"},
           {"_Pragma({a:u32})", "_Pragma is in no expression"},
           {"while ({a:u32}) {d:u32} = 1", "while is in no expression"},
           {"{d:u32} = f({a:u32}", "the parentheses do not pair up"},
           {"{d:u32} = {a:u32}) + (1", "the parentheses do not pair up"},
           {"{d:u32} = {e:u32} = {a:u32}", "it assigns to something else than one operand"},
           {"{d:u32} += {a:u32}", "it assigns to something else than one operand"},
           {"{d:u32} <<= {a:u32}", "it assigns to something else than one operand"},
           {"auto x = {a:u32}", "it assigns to something else than one operand"},
           {"{d:u32} = {a:u32}" + std::string(1000, '+'), "it has more than 1000 bytes"}}) {
    INFO(call);
    CHECK(mistakes(call) == refused + why);
  }
  // The same in the value of an axis, and in a text of a table.
  CHECK(mistakes("{d:u32} = {a:u32}{tail}", "tail = [\"\", \"\\n#define A 1\"]\n") ==
        refused + "it has more than one line");
  CHECK(mistakes("{d:u32} = {tail(n)}", "n = [\"1\"]\n[op.tail]\n1 = \"{a:u32}; f()\"\n") ==
        refused + "; is in no expression");
  // A brace that is no hole's.
  CHECK(mistakes("{d:u32} = ({ {a:u32}; })") != "");
}

TEST_CASE("a header is one of CUDA's, and an option of the compiler only changes the code") {
  const auto mistakes = [](const std::string& entry, const std::string& top = {}) {
    return CatalogueText(top + preamble + "[[op]]\ncall = \"{d:f32} = f({a:f32})\"\n" + entry).mistakes();
  };
  for (const char* header : {"", "math.h", "cuda_fp16.h", "cuda/std/cmath"}) {
    INFO(header);
    CHECK(mistakes(std::string("header = '") + header + "'\n").empty());
  }
  for (const char* header :
       {"/etc/passwd", "../../../etc/passwd", "cuda/../../x.h", "x.h>\\n#define f g", "x y", "\\u00e9.h"}) {
    INFO(header);
    const auto line = std::string("header = \"") + header + "\"\n";
    CHECK(mistakes(line).starts_with("a.toml:8: \""));
    CHECK(mistakes(line).ends_with("is not the name of a header of CUDA, such as \"cuda_fp16.h\""));
    CHECK(mistakes({}, line).starts_with("a.toml:1: \""));
  }
  for (const char* option : {"", "--use_fast_math", "-use_fast_math", "--fmad=false", "--ftz=true"}) {
    INFO(option);
    CHECK(mistakes(std::string("options = [\"") + option + "\"]\n").empty());
  }
  for (const char* option : {"-I/etc", "--include-path=/", "-include=/etc/passwd", "--pre-include=/etc/passwd", "-DA=1",
                             "--pch", "--time=/tmp/x", "--fdevice-time-trace=x", "--std=c++20", "--use_fast_math --pch",
                             "--fmad=false\\n", "-", " "}) {
    INFO(option);
    CHECK(
        mistakes(std::string("options = [\"") + option + "\"]\n").find("is not an option that only changes the code") !=
        std::string::npos);
  }
}

TEST_CASE("an operand has no more registers than any instruction's") {
  const auto mistakes = [](const std::string& entry) {
    return CatalogueText(preamble + "[[op]]\n" + entry).mistakes();
  };
  CHECK(mistakes("name = \"x\"\nsyntax = \"x {d:u32[256]}, {a:u32}\"\n").empty());
  for (const char* count : {"257", "2000000000", "99999999999999999999"}) {
    INFO(count);
    const std::string words = "a.toml:6: operand \"d\" has more than 256 registers";
    CHECK(mistakes(std::string("name = \"x\"\nsyntax = \"x {d:u32[") + count + "]}, {a:u32}\"\n") == words);
    CHECK(mistakes(std::string("call = \"{d:u32[") + count + "]} = f({a:u32})\"\n").starts_with(words));
  }
  CHECK(mistakes("call = \"{d:f32[4]} = f({a:f32})\"\n").empty());
  CHECK(mistakes("call = \"{d:f32[5]} = f({a:f32})\"\n") == "a.toml:6: operand \"d\": CUDA C has no type for f32[5]");
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
