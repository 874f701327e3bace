// SPDX-License-Identifier: Apache-2.0

// `ptxlat measure` as a user runs it: on the stand-in's GPU, from the schedule, and as docs/measure.md shows it.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "../sass/real_code.h"
#include "assemble/nvrtc.h"
#include "ptxlat_program.h"
#include "results/json.h"
#include "text.h"

using namespace ptxlat;

namespace {

std::string find_version(const std::string& name) {
  const auto available = assemble::find_toolchains(all_toolkits());
  const bool is_here =
      std::any_of(available.begin(), available.end(), [&](const assemble::Toolchain& one) { return one.name == name; });
  if (!is_here) skip("no " + name + " on this machine (tools/toolkits.sh brings it)");
  return name;
}

struct Cell {
  std::string verdict, note, sass;
  std::optional<double> cycles, static_cycles;
};

// The cells of the only toolchain by "source → result".
std::map<std::string, Cell> cells_of(const std::string& json) {
  std::map<std::string, Cell> cells;
  const auto whole = results::Json::parse(json);
  for (const auto& cell : whole.at("measured").at(0).at("cells")) {
    const auto record = [&](const char* name) { return cell.value(name, std::string()); };
    auto& made = cells[record("source") + " → " + record("result")];
    made.verdict = record("verdict");
    made.note = record("note");
    if (cell.contains("cycles")) made.cycles = cell.at("cycles").get<double>();
    if (cell.contains("static")) made.static_cycles = cell.at("static").get<double>();
    if (cell.contains("sass")) made.sass = cell.at("sass").dump();
  }
  return cells;
}

std::map<std::string, Cell> measured(const PtxlatProgram& program, const std::string& snippet,
                                     std::vector<std::string> more = {}, int status = 0) {
  std::vector<std::string> arguments{"measure", snippet, "-O", "3", "--launches", "3", "--format", "json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const auto ended = program.run(arguments);
  INFO(ended.err);
  REQUIRE(ended.status == status);
  return cells_of(ended.out);
}

}  // namespace

TEST_CASE("a snippet is measured from each source to each result") {
  PtxlatProgram program;
  program.require_tools();
  const auto cells = measured(program, "cvt.rn.f32.s32 f, a; mul.f32 d, f, b; xor.b32 e, a, 7");
  REQUIRE(cells.size() == 4);
  INFO("the stand-in takes as long as the schedule says");
  CHECK(cells.at("a → d").verdict == "proven");
  CHECK(cells.at("a → d").cycles == cells.at("a → d").static_cycles);
  CHECK(*cells.at("a → d").cycles > *cells.at("b → d").cycles);
  CHECK(cells.at("a → e").verdict == "proven");
  CHECK(cells.at("b → e").verdict == "no_dependency");
  CHECK_FALSE(cells.at("b → e").cycles);
}

TEST_CASE("by the schedule, a source's number is that of its own path") {
  PtxlatProgram program;
  program.require_tools();
  const auto cells_by_schedule = [&](const std::string& snippet) {
    return measured(program, snippet, {"--static", "--target", "sm_90a"});
  };
  const auto number = [](const std::map<std::string, Cell>& cells, const std::string& pair) {
    INFO(pair << ": " << cells.at(pair).note);
    REQUIRE(cells.at(pair).static_cycles);
    return *cells.at(pair).static_cycles;
  };
  INFO("a is selected, c is compared first");
  const auto slct = cells_by_schedule("slct.s32.f32 d, a, b, c");
  CHECK(number(slct, "a → d") == number(slct, "b → d"));
  CHECK(number(slct, "c → d") >= number(slct, "a → d") + 4);
  INFO("literals are in registers before the operand arrives");
  const auto literals = cells_by_schedule("mad.lo.u32 d, a, 1664525, 1013904223");
  const auto registers = cells_by_schedule("mad.lo.u32 d, a, b, c");
  CHECK(number(literals, "a → d") == number(registers, "a → d"));
  INFO("the last xor is not the consumer's");
  const auto once = cells_by_schedule("shr.u32 t, s, 22; xor.b32 u, s, t");
  const auto twice = cells_by_schedule("shr.u32 t, s, 22; xor.b32 u, s, t; shr.u32 v, u, 11; xor.b32 d, u, v");
  CHECK(number(twice, "s → d") >= number(once, "s → u") + 8);
  INFO("a product and each of its sums are one instruction");
  const auto sums = cells_by_schedule("mul.f32 t, x, y; add.f32 d, t, z; sub.f32 e, t, z");
  for (const char* pair : {"x → d", "z → d", "y → e", "z → e"}) CHECK(number(sums, pair) == 4);
}

TEST_CASE(
    "both halves of a wide product with a carry have numbers, each without the other's code where it is separable") {
  PtxlatProgram program;
  program.require_tools();
  const auto cells =
      measured(program, "mad.lo.cc.u64 d, a, b, c; madc.hi.u64 e, a, b, 0", {"--static", "--target", "sm_90a"});
  for (const char* pair : {"a → d", "b → d", "c → d", "a → e", "b → e", "c → e"}) {
    INFO(pair << ": " << cells.at(pair).note);
    CHECK(cells.at(pair).verdict == "proven");
    CHECK(cells.at(pair).static_cycles);
  }
  CHECK(*cells.at("c → e").static_cycles < *cells.at("a → e").static_cycles);
  CHECK(has(cells.at("c → d").note, "not on the path from c: "));
}

TEST_CASE("a result that the rest of the snippet reads again is not taken for what follows it") {
  PtxlatProgram program;
  program.require_tools();
  const auto cells = measured(program, "add.f32 y, x, a; shl.b32 t, y, 1; add.f32 z, t, y",
                              {"--static", "--target", "sm_90a", "--result", "y,z"});
  INFO(cells.at("x → y").note);
  CHECK(cells.at("x → y").static_cycles == 4);
  CHECK(cells.at("a → y").static_cycles == 4);
  CHECK(cells.at("x → z").verdict == "proven");
}

TEST_CASE("a value that is read again and merged, too, is left out of the window of what follows it") {
  PtxlatProgram program;
  program.require_tools();
  const auto cells =
      measured(program, "xor.b32 t, a, b; xor.b32 d, t, c", {"--static", "--target", "sm_90a", "--result", "t,d"});
  for (const char* pair : {"a → t", "a → d", "c → d"}) {
    INFO(pair << ": " << cells.at(pair).note);
    CHECK(cells.at(pair).static_cycles == 4);
  }
}

TEST_CASE("a condition that joins the path is the snippet's, not the frame's comparison for it") {
  PtxlatProgram program;
  program.require_tools();
  const auto by_schedule = [&](const std::string& snippet) {
    return measured(program, snippet, {"--static", "--target", "sm_90a"});
  };
  const auto conditions = by_schedule(
      "setp.gt.s32 q, x, y; setp.gt.s32 u, x, z; setp.lt.s32 p, a, b; and.pred r, p, q; or.pred s, r, u; "
      "selp.b32 d, a, b, s");
  INFO(conditions.at("a → d").note);
  CHECK(conditions.at("a → d").static_cycles == 12);
  CHECK(has(conditions.at("a → d").sass, "ISETP.GT.OR"));
  CHECK_FALSE(has(conditions.at("a → d").sass, "ISETP.GT.AND"));
  INFO("the opposite of a comparison is made from it, and is not on the path to it");
  const auto opposites = by_schedule("setp.lt.and.f32 p|q, a, b, r");
  INFO(opposites.at("a → p").note);
  CHECK(opposites.at("a → p").static_cycles == 4);
  CHECK(opposites.at("a → q").static_cycles == 8);
  CHECK_FALSE(has(opposites.at("r → p").sass, "ISETP"));
}

TEST_CASE("a constant result depends on no source") {
  PtxlatProgram program;
  program.require_tools();
  for (const char* snippet : {"xor.b32 d, a, a", "and.b32 d, a, 0"}) {
    const auto cell = measured(program, snippet).at("a → d");
    CHECK(cell.verdict == "elided");
    CHECK(has(cell.note, "the result is a constant"));
  }
}

TEST_CASE("a single instruction has the cycles of its table") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run({"run", "--filter", "/^mad.lo.u32$/", "-O", "3", "--launches", "3", "--repeat", "0"}).status ==
          0);
  const auto cells = measured(program, "mad.lo.u32 x, y, z, w");
  const auto table = records_in(program.table());
  REQUIRE(table.size() == 3);
  for (const auto& [operand, name] : {std::pair{"a", "y"}, {"b", "z"}, {"c", "w"}}) {
    const auto row = std::find_if(table.begin(), table.end(), [&](const auto& one) { return one.operand == operand; });
    INFO(name);
    REQUIRE(row != table.end());
    CHECK(cells.at(std::string(name) + " → x").cycles == row->number(results::metric::cycles));
  }
}

TEST_CASE("a snippet that faults, and one that never ends, have that as their verdict") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_STANDIN_FAULT", "ld_global_u32__add_u32");
  const auto faulty = measured(program, "ld.global.u32 t, [p]; add.u32 d, t, t", {}, 1);
  CHECK(faulty.at("p → d").verdict == "fault");
  CHECK(has(faulty.at("p → d").note, "CUDA_ERROR_ILLEGAL_ADDRESS"));
  CHECK_FALSE(faulty.at("p → d").cycles);
  program.unset("PTXLAT_STANDIN_FAULT");
  std::ofstream(program.folder() / "hangs.toml")
      << "[[rule]]\nkernel = \"^(chain|differential)_popc\"\ndie = \"hang\"\n";
  program.set("PTXLAT_STANDIN_SCRIPT", (program.folder() / "hangs.toml").string());
  const auto hanging = measured(program, "popc.b32 t, a; add.u32 d, t, t", {}, 1);
  CHECK(hanging.at("a → d").verdict == "timeout");
}

TEST_CASE("rejected code is a verdict with the assembler's message and the place in the user's text") {
  PtxlatProgram program;
  program.require_tools();
  INFO("a script sees it by the exit code");
  const auto cells = measured(program, "popc.b32 u, a; mul.lo.u32 t, u, 1.5; add.u32 d, t, a", {}, 1);
  const auto& cell = cells.at("a → d");
  CHECK(cell.verdict == "rejected");
  INFO(cell.note);
  CHECK(has(cell.note, "mul.lo"));
  CHECK(has(cell.note, "in the snippet at 1:16"));
  CHECK_FALSE(has(cell.note, "\n"));
  INFO("also where it is not on the path");
  CHECK(measured(program, "mov.f32 f, 1; mul.f32 d, a, b", {}, 1).at("a → d").verdict == "rejected");
}

TEST_CASE("--throughput runs copies of the whole snippet's machine code on the GPU, and says so without one") {
  PtxlatProgram program;
  program.require_tools();
  const auto ended =
      program.run({"measure", "popc.b32 t, a; mul.lo.u32 d, t, b", "-O", "3", "--launches", "3", "--throughput"});
  CHECK(ended.status == 0);
  INFO(ended.out);
  CHECK(has(ended.out, "\nthroughput at O3: "));
  CHECK(has(ended.out, " per clock and SM"));
  const auto none = program.run({"measure", "popc.b32 d, a", "-O", "3", "--static", "--throughput"});
  CHECK(none.status == 0);
  CHECK(has(none.err, "no throughput"));
}

TEST_CASE("a mistake in the text ends with 2, its line and its column, and nothing on standard output") {
  const PtxlatProgram program;
  const auto unknown = program.run({"measure", "add.u32 d, a, b;\nadd.u33 e, d, a"});
  CHECK(unknown.status == 2);
  CHECK(unknown.out.empty());
  CHECK(unknown.err.starts_with("ptxlat: snippet:2:1: the catalogue has no instruction add.u33"));
  std::ofstream(program.folder() / "mine.ptx") << "// a loop\nLOOP:\n  add.u32 d, d, a;\n";
  const auto loop = program.run({"measure", "mine.ptx"});
  CHECK(loop.status == 2);
  CHECK(loop.err.starts_with("ptxlat: mine.ptx:2:1: the label LOOP"));
  CHECK(program.run({"measure"}).status == 2);
  CHECK(program.run({"measure", "absent.ptx"}).status == 2);
  CHECK(program.run({"measure", "add.u32 d, a, b", "--type", "a=b33"}).status == 2);
  CHECK(program.run({"measure", "--cuda", "x * y"}).status == 2);
  CHECK(program.run({"measure", "--cuda", "x * y", "--lines", "1", "--type", "x=f32"}).status == 2);
  CHECK(program.run({"measure", "add.u32 d, a, b", "--lines", "2:1"}).status == 2);
  CHECK(program.run({"measure", "add.u32 d, a, b", "--lines", "2"}).status == 2);
  const auto assembly = program.run({"measure", "--cuda", "y = x; asm(\"trap;\")", "--type", "x=f32"});
  CHECK(assembly.status == 2);
  CHECK(assembly.err.find("only expressions and assignments are measured") != std::string::npos);
  const auto repeated = program.run({"measure", "--cuda", "for (int i = 0; i < 4; ++i) d = d * x;", "--type", "x=f32"});
  CHECK(repeated.status == 2);
  CHECK(has(repeated.err, "CUDA C:1:1: for: only expressions and assignments are measured"));
}

TEST_CASE("a kernel's lines are measured, and CUDA C by the lines of its file") {
  PtxlatProgram program;
  program.require_tools();
  std::ofstream(program.folder() / "k.ptx") << ".version 8.0\n.target sm_90\n.address_size 64\n"
                                               ".visible .entry k(.param .u64 p) {\n"
                                               ".reg .b64 %rd<3>;\n.reg .f32 %f<4>;\n"
                                               "ld.param.u64 %rd1, [p];\n"
                                               "ld.global.f32 %f1, [%rd1];\n"
                                               "fma.rn.f32 %f2, %f1, %f1, %f1;\n"
                                               "mul.f32 %f3, %f2, %f2;\n"
                                               "st.global.f32 [%rd1], %f3;\n"
                                               "ret;\n}\n";
  const auto whole = measured(program, "k.ptx", {"--static", "--target", "sm_90a"});
  CHECK(whole.at("%rd1 → %f3").verdict == "proven");
  const auto lines = measured(program, "k.ptx", {"--static", "--target", "sm_90a", "--lines", "9:10"});
  CHECK(lines.at("%f1 → %f3").static_cycles == 8);
  const auto one = measured(program, "k.ptx", {"--static", "--target", "sm_90a", "--lines", "9"});
  CHECK(one.at("%f1 → %f2").static_cycles == 4);
  std::ofstream(program.folder() / "k.cu") << "__global__ void k(float* p, int n) {\n"
                                              "  if (threadIdx.x >= n) return;\n"
                                              "  float x = p[threadIdx.x];\n"
                                              "  p[threadIdx.x] = __fmaf_rn(x, x, x);\n}\n";
  const auto source = program.run({"measure", "k.cu", "--lines", "4", "--static", "-O", "3", "--toolchain",
                                   find_version("ptxas-13.0.88"), "--format", "json"});
  if (source.status == 5) skip("no NVRTC of CUDA 13.0 on this machine");
  INFO(source.err);
  REQUIRE(source.status == 0);
  CHECK(has(source.out, R"("snippet":"  p[threadIdx.x] = __fmaf_rn(x, x, x);")"));
  CHECK(has(source.out, R"("sass":["FFMA"])"));
}

TEST_CASE("several snippets are measured in one run, and one that is wrong does not end the others") {
  PtxlatProgram program;
  program.require_tools();
  const auto ended = program.run({"measure", "fma.rn.f32 d, a, b, c", "foo.u32 d, a", "popc.b32 d, a", "--static",
                                  "--target", "sm_90a", "-O", "3", "--format", "csv"});
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "no instruction foo.u32"));
  INFO(ended.out);
  CHECK(has(ended.out, ",a,d,3,,1,4,,,dependent"));
  CHECK(has(ended.out, "POPC"));
  CHECK(has(ended.out, ",3\n"));
  CHECK(ended.out.find("toolchain,") == ended.out.rfind("toolchain,"));
  INFO("also if it is the first");
  const auto wrong_first = program.run(
      {"measure", "foo.u32 d, a", "popc.b32 d, a", "--static", "--target", "sm_90a", "-O", "3", "--format", "csv"});
  CHECK(wrong_first.out.starts_with("toolchain,"));
  CHECK(has(wrong_first.out, ",2\n"));
}

TEST_CASE("the text begins with the answer, and rows that are equal are one") {
  const PtxlatProgram program;
  const auto ended = program.run({"measure", "mad.lo.u32 t, a, b, c; xor.b32 d, t, c; xor.b32 e, c, f", "--static",
                                  "--toolchain", find_version("ptxas-13.0.88"), "-O", "0,3"});
  REQUIRE(ended.status == 0);
  INFO(ended.out);
  CHECK(has(ended.out, "-O3: 9 cycles from a, b or c to d; one every "));
  CHECK(has(ended.out, "-O3: 4 cycles from c or f to e; one every "));
  CHECK(ended.out.find("  O3 ") < ended.out.find("  O0 "));
  CHECK(has(ended.out, "\na, b, c  d       O3 "));
  INFO("a column without a number is not there");
  CHECK_FALSE(has(ended.out, "cycles  issue"));
}

TEST_CASE("a part of a register is selected, and a stored value is a result") {
  PtxlatProgram program;
  program.require_tools();
  const auto parts = measured(program, "vmad.u32.u32.u32 d, a.b0, b.b1, c", {"--static", "--target", "sm_90a"});
  CHECK(has(parts.at("a → d").sass, "PRMT"));
  CHECK(*parts.at("c → d").static_cycles < *parts.at("a → d").static_cycles);
  const auto merged = measured(program, "vadd.u32.u32.u32 d.b0, a, b, c", {"--static", "--target", "sm_90a"});
  CHECK(merged.at("c → d").static_cycles);
  CHECK(program.run({"measure", "add.u32 d, a.b0, b"}).status == 2);
  const auto stored =
      measured(program, "add.f32 t, a, b; mul.f32 d, t, t; st.global.f32 [p], d", {"--static", "--target", "sm_90a"});
  CHECK(stored.at("a → d").static_cycles == 8);
  CHECK(stored.at("p → d").verdict == "no_dependency");
}

TEST_CASE("without a GPU the numbers come from the schedule, unless the GPU was requested") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_LIBCUDA", "/nowhere/libcuda.so.1");
  const auto ended = program.run({"measure", "popc.b32 t, a; add.u32 d, t, b", "-O", "3", "--format", "csv"});
  CHECK(ended.status == 0);
  CHECK(ended.err.starts_with("no GPU ("));
  CHECK(has(ended.out, ",b,d,3,,"));
  CHECK(program.run({"measure", "popc.b32 d, a", "--device", "0"}).status == 6);
  CHECK(program.run({"measure", "popc.b32 d, a", "--toolchain", "driver"}).status == 6);
}

TEST_CASE("copies of a long snippet that share instructions give no issue cost") {
  PtxlatProgram program;
  program.require_tools();
  const auto issue_of = [&](const std::string& snippet) {
    const auto ended = program.run({"measure", snippet, "--static", "-O", "3", "--format", "json"});
    REQUIRE(ended.status == 0);
    const auto cell = results::Json::parse(ended.out).at("measured").at(0).at("cells").at(0);
    return cell.contains("issue") ? cell.at("issue").get<double>() : 0.0;
  };
  CHECK(issue_of("add.u32 x, a, b; add.f32 y, c, d; mul.f64 z, e, f") >= 3);
  CHECK(issue_of("add.u32 u, a, b; add.u32 v, c, d; add.u32 w, e, f; add.f32 x, g, h; add.f32 y, i, j; "
                 "add.f64 z, k, l; add.f64 s, m, n") == 0);
}

TEST_CASE("--code shows the windows of every cell, and remarks go to standard error") {
  PtxlatProgram program;
  program.require_tools();
  const auto ended = program.run({"measure", "mul.hi.u32 t, a, b; xor.b32 d, t, c; popc.b32 c, a", "--result", "d",
                                  "--static", "-O", "3", "--code"});
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "1:38: popc.b32 feeds no result and is left out"));
  CHECK(has(ended.out, "O3  operand c, d: proven"));
  CHECK(has(ended.out, "offset  stall yield write read wait  SASS"));
}

TEST_CASE("CUDA C is compiled, its types are asked of the compiler, and each source has its own path") {
  const auto ptxas = find_version("ptxas-13.0.88");
  const PtxlatProgram program;
  const auto ended = program.run({"measure", "--cuda", "d = __expf(x) * y; e = double(y)", "--static", "-O", "3",
                                  "--toolchain", ptxas, "--format", "json"});
  if (ended.status == 5) skip("no NVRTC of CUDA 13.0 on this machine");
  REQUIRE(ended.status == 0);
  CHECK(has(ended.err, "y is assumed to be f32"));
  CHECK(has(ended.out, R"({"name":"e","type":"f64"})"));
  const auto cells = cells_of(ended.out);
  CHECK(has(cells.at("x → d").sass, "MUFU.EX2"));
  CHECK_FALSE(has(cells.at("y → d").sass, "MUFU.EX2"));
  CHECK(cells.at("x → e").verdict == "no_dependency");
  CHECK(cells.at("y → e").verdict == "proven");
}

namespace {

// The output of `measure --cuda` by the schedule of ptxas 13.0.88.
std::string measured_cuda(const std::string& text, const std::string& types) {
  const auto ptxas = find_version("ptxas-13.0.88");
  const auto ended = PtxlatProgram().run(
      {"measure", "--cuda", text, "--type", types, "--static", "-O", "3", "--toolchain", ptxas, "--format", "json"});
  if (ended.status == 5) skip("no NVRTC of CUDA 13.0 on this machine");
  INFO(text << ": " << ended.err);
  REQUIRE(ended.status == 0);
  return ended.out;
}

}  // namespace

TEST_CASE("a pointer of CUDA C points to scratch memory") {
  for (const auto& [text, types, opcode] : {std::tuple{"__ldg(p) * x", "x=f32", "LDG.E.CONSTANT"},
                                            {"*p + 1", "p=s32*", "LDG.E"},
                                            {"p[i] * 2", "p=f64*", "LDG.E.64"},
                                            {"atomicAdd(p, v)", "v=u32", "ATOMG.E.ADD"}}) {
    const auto cells = cells_of(measured_cuda(text, types));
    INFO(text << ": " << cells.at("p → d").note);
    CHECK(cells.at("p → d").verdict == "proven");
    CHECK(has(cells.at("p → d").sass, opcode));
  }
  const auto index = measured_cuda("p[i]", "p=u16*");
  CHECK(has(index, R"({"name":"i","type":"s32"})"));
  CHECK(has(measured_cuda("q[0] = x", "x=f32"), "STG.E"));
}

TEST_CASE("a result of CUDA C has the type of its expression") {
  const auto result = [](const std::string& name, const std::string& type) {
    return fmt::format(R"({{"name":"{}","type":"{}"}})", name, type);
  };
  const auto narrowed = measured_cuda("__float2bfloat16(x)", "x=f32");
  CHECK(has(narrowed, result("d", "bf16")));
  CHECK(cells_of(narrowed).at("x → d").sass == R"(["F2FP.BF16.F32.PACK_AB"])");
  const auto half = measured_cuda("h = __float2half_rn(x); e = __hgt(h, y); f = __half2half2(y)", "x=f32,y=f16");
  for (const auto& [name, type] : {std::pair{"h", "f16"}, {"e", "pred"}, {"f", "f16x2"}})
    CHECK(has(half, result(name, type)));
  INFO("a byte is an int, and no predicate");
  CHECK(has(measured_cuda("(unsigned char)(x + y)", "x=u32,y=u32"), result("d", "u32")));
  CHECK(has(measured_cuda("(char)(x + y)", "x=u32,y=u32"), result("d", "s32")));
  INFO("functions of one name that are in two headers");
  for (const char* type : {"f16x2", "bf16x2"}) {
    const auto product = measured_cuda("__hfma2(a, b, c)", fmt::format("a={0},b={0},c={0}", type));
    CHECK(has(product, result("d", type)));
    CHECK(cells_of(product).at("a → d").verdict == "proven");
  }
  const PtxlatProgram program;
  const auto pair = program.run({"measure", "--cuda", "make_float2(x, y)", "--type", "x=f32,y=f32", "--static"});
  CHECK(pair.status == 2);
  CHECK(has(pair.err, "not one that a register holds"));
  INFO("what a function takes");
  const auto overloaded = program.run({"measure", "--cuda", "__hmul(a, b)", "--static"});
  CHECK(overloaded.status == 2);
  CHECK(has(overloaded.err, "--type a=f16, or bf16"));
}

TEST_CASE("a source of CUDA C of which a part is read is in a register all the same") {
  const auto masked = cells_of(measured_cuda("(x & 255) + y", "x=u32,y=u32"));
  CHECK(masked.at("x → d").verdict == "proven");
  CHECK(has(masked.at("x → d").sass, "LOP3.LUT"));
  CHECK_FALSE(has(masked.at("y → d").sass, "LOP3.LUT"));
  CHECK(cells_of(measured_cuda("(short)(x >> 16) * y", "x=s64,y=s64")).at("x → d").verdict == "proven");
  CHECK(cells_of(measured_cuda("x ? y : z", "x=pred,y=s32,z=s32")).at("x → d").verdict == "proven");
}

namespace {

// A block of the page between fences: "$ ptxlat measure …" and what that prints.
struct Example {
  std::vector<std::string> arguments;
  std::string output;
};

// Arguments as a shell splits them; only single quotes.
std::vector<std::string> arguments_in(const std::string& line) {
  std::vector<std::string> arguments;
  bool is_quoted = false, is_open = false;
  for (const char c : line) {
    if (c == '\'') {
      is_quoted = !is_quoted;
    } else if (c == ' ' && !is_quoted) {
      is_open = false;
      continue;
    }
    if (!is_open) arguments.emplace_back();
    is_open = true;
    if (c != '\'') arguments.back() += c;
  }
  return arguments;
}

std::vector<Example> examples_in(const std::filesystem::path& page, const std::filesystem::path& folder) {
  std::vector<Example> examples;
  const std::string command = "$ ptxlat ";
  std::string fence;
  std::ofstream file;
  for (const auto& line : lines_of(page)) {
    if (line.starts_with("```")) {
      fence = fence.empty() ? line : "";
      if (fence == "```ptx") file.open(folder / "blend.ptx");
      if (fence.empty()) file.close();
    } else if (fence == "```ptx") {
      file << line << '\n';
    } else if (line.starts_with(command)) {
      examples.push_back({arguments_in(line.substr(command.size())), {}});
    } else if (fence == "```" && !examples.empty()) {
      examples.back().output += line + '\n';
    }
  }
  return examples;
}

}  // namespace

TEST_CASE("the examples of docs/measure.md print what the page says") {
  find_version("ptxas-13.0.88");
  const PtxlatProgram program;
  const auto examples = examples_in(std::filesystem::path(PTXLAT_SOURCE_DIR) / "docs/measure.md", program.folder());
  CHECK(examples.size() >= 12);
  for (const auto& example : examples) {
    const auto ended = program.run(example.arguments);
    INFO(example.arguments.back());
    if (ended.status == 5 && has(ended.err, "NVRTC")) continue;
    CHECK(example.output == (ended.status == 0 ? ended.out : ended.err));
  }
}
