// SPDX-License-Identifier: Apache-2.0

// The sources and results of a snippet, the types of its registers, and which instructions are between a source and a
// result.
#include <map>

#include "catch.h"
#include "text.h"
#include "understood.h"

using namespace ptxlat;
using snippet::Snippet;

namespace {

std::vector<std::string> names(const Snippet& snippet, const std::vector<std::size_t>& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.push_back(snippet.values[value].name + " " + snippet.values[value].type);
  return names;
}
std::vector<std::string> sources(const Snippet& snippet) { return names(snippet, snippet.sources); }
std::vector<std::string> results_in(const Snippet& snippet) { return names(snippet, snippet.results); }

using Names = std::vector<std::string>;

std::vector<std::size_t> path(const Snippet& snippet, const std::string& source, const std::string& result) {
  const auto find = [&](const std::vector<std::size_t>& values, const std::string& name) {
    for (const auto value : values) {
      if (snippet.values[value].name == name) return value;
    }
    throw std::runtime_error("no " + name);
  };
  return snippet::path(snippet, find(snippet.sources, source), find(snippet.results, result));
}
using Path = std::vector<std::size_t>;

}  // namespace

TEST_CASE("sources are read before they are written, results are not read any more") {
  const auto snippet = understood("mad.lo.u32 d, a, b, c; shf.l.wrap.b32 d, d, d, 7");
  CHECK(sources(snippet) == Names{"a u32", "b u32", "c u32"});
  CHECK(results_in(snippet) == Names{"d b32"});
  INFO("a register that is added to is both");
  const auto counter = understood("add.u32 a, a, b");
  CHECK(sources(counter) == Names{"a u32", "b u32"});
  CHECK(results_in(counter) == Names{"a u32"});
}

TEST_CASE("types come from the instructions: a number's before mere bits, the maker's before the reader's") {
  CHECK(sources(understood("mov.b32 t, a; add.f32 d, t, b")) == Names{"a b32", "b f32"});
  CHECK(sources(understood("mov.b32 t, a; add.f32 d, a, t")) == Names{"a f32"});
  CHECK(results_in(understood("mul.wide.u32 d, a, b")) == Names{"d u64"});
  CHECK(results_in(understood("cvt.rn.f16.f32 h, a")) == Names{"h f16"});
  CHECK(results_in(understood("setp.lt.f64 p, a, b")) == Names{"p pred"});
  CHECK(sources(understood("bfe.u32 d, a, 4, n; selp.b32 e, d, x, p")) == Names{"a u32", "n u32", "x b32", "p pred"});
}

TEST_CASE("a declaration, a mark and --type each give a type") {
  CHECK(sources(understood(".reg .f32 a; mov.b32 d, a")) == Names{"a f32"});
  CHECK(sources(understood("// sources: a .f32\nmov.b32 d, a")) == Names{"a f32"});
  CHECK(sources(understood("mov.b32 d, a", {{}, {}, {{"a", "s32", {}}}})) == Names{"a s32"});
}

TEST_CASE("loads, stores and conversions of integers leave a register wider than their type") {
  CHECK(sources(understood("cvt.rn.f32.u8 f, a; add.u32 d, a, b")) == Names{"a u32", "b u32"});
  CHECK(results_in(understood(".reg .b32 d; ld.global.u8 d, [p]")) == Names{"d b32"});
  CHECK(mistake_in("cvt.rn.f32.u32 f, h; add.f16 d, h, h").starts_with("snippet:1:19: h is 32 bits here and 16 bits"));
}

TEST_CASE("a register of two widths is an error that names both places") {
  CHECK(mistake_in("add.u32 d, a, b;\nmul.f64 e, d, c")
            .starts_with("snippet:2:12: d is 64 bits here and 32 bits at 1:9"));
  CHECK(mistake_in("setp.lt.s32 p, a, b; add.u32 d, p, a")
            .starts_with("snippet:1:33: p is 32 bits here and a predicate at 1:13"));
  CHECK(mistake_in(".reg .b64 a; add.u32 d, a, b").starts_with("snippet:1:25: a is 32 bits here and 64 bits at 1:11"));
  CHECK(
      mistake_in(".reg .f32 a; add.u32 d, a, b").starts_with("snippet:1:25: a is declared .f32 and used as .u32 here"));
  CHECK(
      mistake_in(".reg .s32 a; add.f32 d, a, b").starts_with("snippet:1:25: a is declared .s32 and used as .f32 here"));
  CHECK(mistake_in(".reg .b32 a; add.f32 d, a, b; add.u32 e, a, b").empty());
  CHECK(mistake_in("add.u32 d, a, b", {{}, {}, {{"a", "u32", {}}, {"a", "f32", {}}}})
            .find("a is .f32 here and .u32 before") != std::string::npos);
}

TEST_CASE("an instruction that the catalogue lacks is an error with what may be meant") {
  const auto unknown = mistake_in("add.u32 d, a, b; add.u33 e, d, a");
  CHECK(unknown.starts_with("snippet:1:18: the catalogue has no instruction add.u33"));
  CHECK(has(unknown, "add.u32"));
  CHECK(has(mistake_in("adt.u32 d, a, b"), "did you mean"));
  CHECK(has(mistake_in("mul.u32 d, a, b"), "mul.lo.u32"));
  CHECK(has(mistake_in("ADD.U32 d, a, b"), "did you mean add.u32?"));
  CHECK(has(mistake_in("cvt.rn.f64.f32 d, a"), "did you mean cvt.f64.f32?"));
  CHECK(has(mistake_in("cvt.f32.u32 d, a"), "cvt.rn.f32.u32"));
  CHECK(has(mistake_in("add.u33 d, a, b"), "add.u32"));
  CHECK(has(mistake_in("add.u32 d, a+1, b"), "only an address may add a number"));
  CHECK(has(mistake_in("add.u32 d, a, b", {{}, {}, {{"z", "u32", {}}}}), "there is no register z"));
}

TEST_CASE("operands that an instruction does not take are an error at the operand") {
  CHECK(mistake_in("add.u32 d, a").starts_with("snippet:1:1: add.u32 has too few operands"));
  CHECK(mistake_in("add.u32 d, a, [b]").starts_with("snippet:1:15: add.u32 cannot have \"[\" here"));
  CHECK(has(mistake_in("add.u32 7, a, b"), "it takes d, a, b"));
  CHECK(has(mistake_in("add.u32 d, a, b\nmul.lo.u32 e, d, c"), "is there a semicolon before it?"));
  CHECK(mistake_in("add.u32 d, %laneid, a").starts_with("snippet:1:12: add.u32 cannot have \"%laneid\" here"));
}

TEST_CASE("code that branches, synchronizes or needs more than a warp cannot be measured, with a reason") {
  CHECK(mistake_in("add.u32 d, a, b; @p bra OUT").starts_with("snippet:1:21: bra: only code without branches"));
  CHECK(mistake_in("bar.sync 0; add.u32 d, a, b").starts_with("snippet:1:1: bar.sync cannot be measured here"));
  CHECK(mistake_in("ret").starts_with("snippet:1:1: ret"));
  CHECK(mistake_in("").starts_with("snippet:1:1: there is no instruction here"));
}

TEST_CASE("the path between a source and a result leaves out what only joins it") {
  const auto snippet = understood("mul.hi.u32 t, a, b; add.u32 u, t, c; xor.b32 d, u, e");
  CHECK(path(snippet, "a", "d") == Path{0, 1, 2});
  CHECK(path(snippet, "c", "d") == Path{1, 2});
  CHECK(path(snippet, "e", "d") == Path{2});
}

TEST_CASE("each result has its own path, and none from what it does not depend on") {
  const auto snippet = understood("cvt.rn.f32.s32 f, a; mul.f32 d, f, b; popc.b32 e, a");
  CHECK(results_in(snippet) == Names{"d f32", "e u32"});
  CHECK(path(snippet, "a", "d") == Path{0, 1});
  CHECK(path(snippet, "a", "e") == Path{2});
  CHECK(path(snippet, "b", "e").empty());
}

TEST_CASE("the carry is a dependence that no operand names") {
  const auto snippet = understood("add.cc.u32 lo, a, c; addc.u32 hi, b, d");
  CHECK(path(snippet, "a", "hi") == Path{0, 1});
  CHECK(path(snippet, "b", "hi") == Path{1});
  CHECK(path(snippet, "b", "lo").empty());
}

TEST_CASE("a guarded instruction depends on its guard and on what its register held") {
  const auto snippet = understood("setp.lt.s32 p, a, b; @p add.u32 d, d, 1");
  CHECK(sources(snippet) == Names{"a s32", "b s32", "d u32"});
  CHECK(path(snippet, "a", "d") == Path{0, 1});
  CHECK(path(snippet, "d", "d") == Path{1});
  INFO("and where it is not written before, what it held is a source");
  CHECK(sources(understood("@p mov.u32 d, a")).size() == 3);
}

TEST_CASE("a load depends on the store before it at the same address") {
  const auto snippet = understood("st.shared.u32 [p], a; ld.shared.u32 d, [p]; ld.shared.u32 e, [p+4]");
  CHECK(path(snippet, "a", "d") == Path{0, 1});
  CHECK(path(snippet, "a", "e").empty());
  CHECK(mistake_in("st.shared.u32 [p], a; ld.shared.u32 d, [q]")
            .starts_with("snippet:1:23: whether ld.shared.u32 reads what the store at 1:1 wrote is not known"));
}

TEST_CASE("dead code and unused sources are reported, but are not errors") {
  const auto snippet = understood("add.u32 t, a, b; mul.lo.u32 t, a, c; add.u32 d, t, c");
  REQUIRE(snippet.remarks.size() == 2);
  CHECK(snippet.remarks[0] == "1:1: add.u32 feeds no result and is left out");
  CHECK(snippet.remarks[1] == "nothing that leads to a result reads source b");
  CHECK(snippet.live == std::vector<bool>{false, true, true});
  const auto marked = understood("// sources: a, b, z\nadd.u32 d, a, b");
  REQUIRE(marked.remarks.size() == 1);
  CHECK(has(marked.remarks.front(), "source z is not used"));
}

TEST_CASE("marks choose the results, and a source that is not marked is an error") {
  const auto snippet = understood("add.u32 d, a, b; mul.lo.u32 e, d, c", {{}, {{"d", "", {}}, {"e", "", {}}}, {}});
  CHECK(results_in(snippet) == Names{"d u32", "e u32"});
  CHECK(mistake_in("// sources: a\nadd.u32 d, a, b").starts_with("snippet:2:15: b is read here, and it is neither"));
  CHECK(mistake_in("// results: x\nadd.u32 d, a, b").starts_with("snippet:1:13: no instruction writes the result x"));
}

TEST_CASE("vectors, pairs of predicates and sinks are results each of their own") {
  CHECK(results_in(understood("ld.global.v2.f32 {x, y}, [p]")) == Names{"x f32", "y f32"});
  CHECK(results_in(understood("setp.lt.s32 p|q, a, b")) == Names{"p pred", "q pred"});
  CHECK(results_in(understood("setp.lt.s32 p|_, a, b")) == Names{"p pred"});
  CHECK(results_in(understood("mov.b64 {lo, hi}, a")) == Names{"lo b32", "hi b32"});
  CHECK(sources(understood("mov.b64 d, {a, b}")) == Names{"a b32", "b b32"});
}

TEST_CASE("of two writes under a predicate and its opposite one happens, so the value before is no source") {
  const auto snippet = understood("setp.lt.s32 p, a, b; @p mov.b32 d, x; @!p mov.b32 d, y");
  CHECK(sources(snippet) == Names{"a s32", "b s32", "x b32", "y b32"});
  CHECK(path(snippet, "x", "d") == Path{1, 2});
  const auto read_between = understood("setp.lt.s32 p, a, b; @p mov.b32 d, x; add.u32 e, d, d; @!p mov.b32 d, y");
  CHECK(sources(read_between) == Names{"a s32", "b s32", "x b32", "d b32", "y b32"});
  const auto reads_it = understood("setp.lt.s32 p, a, b; @p mul.lo.s32 d, d, x; @!p add.s32 d, d, y");
  CHECK(sources(reads_it) == Names{"a s32", "b s32", "d s32", "x s32", "y s32"});
}
