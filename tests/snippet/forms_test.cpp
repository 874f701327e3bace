// SPDX-License-Identifier: Apache-2.0

// Instructions of a snippet as forms of the line.
#include "snippet/forms.h"

#include <fmt/format.h>

#include <set>

#include "catch.h"
#include "latency/experiment.h"
#include "snippet/method.h"
#include "text.h"
#include "understood.h"

using namespace ptxlat;

namespace {

// The plan must not outlive its snippet.
struct Planned {
  snippet::Snippet snippet;
  snippet::Plan plan;
  explicit Planned(const std::string& text)
      : snippet(understood(text)), plan(snippet::plan(snippet, shipped().catalogue)) {}

  const snippet::Pair& pair(const std::string& source, const std::string& result) const {
    for (const auto& pair : plan.pairs) {
      if (pair.source == source && pair.result == result) return pair;
    }
    throw std::runtime_error("no pair");
  }
};

const isa::Operand& operand(const isa::Form& form, const std::string& name) {
  for (const auto& one : form.operands) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no operand " + name);
}

}  // namespace

TEST_CASE("one instruction is the catalogue's form, with the user's literals") {
  const Planned planned("shf.l.wrap.b32 x, y, z, 7");
  const auto& form = planned.plan.pairs.front().whole.form->form;
  CHECK(form.ptx == "shf.l.wrap.b32");
  CHECK(form.chapter != "snippet");
  CHECK(form.inputs.size() == 1);
  CHECK(form.inputs.front().values.at("c").first == "7");
  CHECK(form.inputs.front().values.at("c").is_known_to_compiler);
  CHECK(form.dependence == std::vector<std::string>{"a", "b"});
  CHECK(planned.pair("z", "x").whole.operand == "b");
}

TEST_CASE("several instructions are a block with its own registers for the values between them") {
  const Planned planned("mad.lo.u32 %r1, a, b, c; shf.l.wrap.b32 d, %r1, %r1, 7");
  const auto& form = planned.pair("a", "d").whole.form->form;
  CHECK(form.is_block);
  CHECK(
      form.text ==
      "{\n  .reg .b32 %temp_3;\n  mad.lo.u32 %temp_3, {a}, {b}, {c};\n  shf.l.wrap.b32 {d}, %temp_3, %temp_3, 7;\n  }");
  CHECK(operand(form, "d").is_result);
  CHECK(operand(form, "a").type == "u32");
  CHECK(form.operands.front().name == "d");
  CHECK(planned.pair("a", "d").alone.form == nullptr);
}

TEST_CASE("the path alone reads joining values as sources") {
  const Planned planned("mul.hi.u32 t, a, b; add.u32 d, t, c");
  CHECK(planned.pair("a", "d").alone.form == nullptr);
  const auto* alone = planned.pair("c", "d").alone.form;
  REQUIRE(alone != nullptr);
  CHECK(alone->form.text == "add.u32 {d}, {t}, {c};");
  CHECK(operand(alone->form, "t").type == "u32");
  CHECK_FALSE(operand(alone->form, "t").is_result);
}

TEST_CASE("the path alone has its literals, as compilers write them") {
  const Planned planned("mov.b32 k, 1; mov.b64 w, {k, k}; mad.wide.u32 t, a, k, w; popc.b64 d, t; shl.b32 e, b, k");
  const auto* alone = planned.pair("a", "d").alone.form;
  REQUIRE(alone != nullptr);
  CHECK(has(alone->form.text, "mov.b32 %temp_"));
  CHECK(has(alone->form.text, "mov.b64 %temp_"));
  INFO("they are no results, although the rest reads them, too");
  for (const auto& one : alone->form.operands) CHECK(one.name != "k");
  INFO("a special register is no literal");
  const Planned special("mov.u32 k, %laneid; add.u32 d, a, k");
  const auto* other = special.pair("a", "d").alone.form;
  REQUIRE(other != nullptr);
  CHECK_FALSE(has(other->form.text, "mov"));
}

TEST_CASE("what makes the values that join a path may be merged with it, and is tried too") {
  const Planned planned("cvt.rn.f32.s32 f, i; mul.f32 t, f, b; add.f32 d, t, c");
  CHECK(planned.pair("c", "d").alone.form->form.text == "add.f32 {d}, {t}, {c};");
  const auto* wider = planned.pair("c", "d").wider.form;
  REQUIRE(wider != nullptr);
  CHECK(has(wider->form.text, "mul.f32"));
  CHECK_FALSE(has(wider->form.text, "cvt"));
  INFO("if that is the whole snippet, it is made in any case");
  CHECK(planned.pair("b", "d").wider.form == nullptr);
}

TEST_CASE("what others need of an instruction on the path is kept, so that it stays whole") {
  const Planned planned("setp.lt.s32 p|q, a, b; selp.b32 d, x, y, p; selp.b32 e, x, y, q");
  const auto* alone = planned.pair("a", "d").alone.form;
  REQUIRE(alone != nullptr);
  CHECK(has(alone->form.text, "setp.lt.s32 %temp_2|{q}, {a}, {b};"));
  CHECK(operand(alone->form, "q").is_result);
  INFO("the carry, too: it is read behind the clocks");
  const Planned carry("add.cc.u32 lo, a, c; addc.u32 hi, b, d");
  CHECK(has(carry.pair("a", "lo").alone.form->form.cleanup, "addc.u32"));
}

TEST_CASE("a guarded instruction that may leave a source as it was has a copy of it") {
  const Planned planned("@p add.u32 d, d, a");
  const auto& form = planned.pair("a", "d").whole.form->form;
  INFO(form.text);
  CHECK(has(form.text, "mov.b32 %temp_"));
  CHECK(has(form.text, "@{p} add.u32"));
  CHECK(has(form.text, "mov.b32 {d_result}, %temp_"));
}

TEST_CASE("what depends on how many values the lanes have is not chained with others, which may make them equal") {
  const auto has_chain = [](const std::string& text) {
    const Planned planned(text);
    const auto& pair = planned.pair("a", "d");
    const auto& form = pair.whole.form->form;
    const isa::Variant variant{&form, pair.whole.operand, &form.inputs.front()};
    const auto experiment =
        latency::expand(shipped(), variant, latency::consumers_for(shipped().catalogue, variant).front());
    return !experiment.trials[latency::Role::chain].kernel.text.empty();
  };
  CHECK(has_chain("match.any.sync.b32 d, a, 0xffffffff"));
  CHECK_FALSE(has_chain("match.any.sync.b32 m, a, 0xffffffff; popc.b32 d, m"));
  CHECK(has_chain("not.b32 m, a; popc.b32 d, m"));
}

TEST_CASE("many sources share values, because a kernel has room for eight") {
  std::string text;
  for (const char* type : {"u32", "f32", "f64", "u64"}) {
    for (int i = 0; i < 3; ++i) text += fmt::format("add.{0} {0}_d{1}, {0}_a{1}, {0}_b{1}; ", type, i);
  }
  const Planned planned(text);
  const auto& form = planned.pair("u32_a0", "u32_d0").whole.form->form;
  std::set<std::string> values;
  for (const auto& [name, value] : form.inputs.front().values) values.insert(value.first);
  CHECK(form.inputs.front().values.size() == 24);
  CHECK(values.size() <= 6);
}

TEST_CASE("addresses point to scratch memory, and added offsets are zero") {
  const Planned planned("mad.wide.u32 p, i, 4, base; ld.global.f32 v, [p]; fma.rn.f32 d, v, x, y");
  const auto& form = planned.pair("i", "d").whole.form->form;
  CHECK(operand(form, "base").type == "global");
  CHECK(form.inputs.front().values.at("base").last == "124");
  CHECK(operand(form, "i").type == "offset_b32");
  CHECK(form.inputs.front().values.at("i").last == "0");
  CHECK(form.audit == isa::AuditRule::effects);
}

TEST_CASE("the pointer in a sum is the operand that is not a product") {
  const Planned planned("mul.wide.s32 o, i, 8; add.s64 q, o, base; ld.global.f64 d, [q]");
  CHECK(operand(planned.pair("i", "d").whole.form->form, "base").type == "global");
}

TEST_CASE("an address that is loaded comes from memory that holds addresses of itself") {
  const Planned planned("ld.global.u64 q, [p]; ld.global.u32 d, [q]");
  CHECK(operand(planned.pair("p", "d").whole.form->form, "p").type == "global_pointers");
  const Planned narrow(".reg .b32 p; ld.shared.u32 q, [p]; ld.shared.u32 d, [q]");
  CHECK(operand(narrow.pair("p", "d").whole.form->form, "p").type == "shared_b32_pointers");
}

TEST_CASE("an address that does not come from a pointer is an error") {
  const auto planned = [] { Planned("mul.wide.u32 p, a, b; ld.global.u32 d, [p]"); };
  try {
    planned();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(has(error.what(), "snippet:1:41: the address p is computed by mul.wide.u32 from no register"));
  }
}

TEST_CASE("a store alone is the catalogue's form, and with others it needs a result") {
  const Planned store("st.global.u32 [p], a");
  REQUIRE(store.plan.pairs.size() == 1);
  CHECK(store.plan.pairs.front().whole.form->form.ptx == "st.global.u32");
  CHECK(Planned("add.u32 t, a, b; st.global.u32 [p], t").plan.pairs.size() == 3);
}

TEST_CASE("a pointer points so far into scratch memory that no access leaves it") {
  const auto values_of = [](const std::string& text, const std::string& pointer) {
    const Planned planned(text);
    const auto& values = planned.plan.pairs.front().whole.form->form.inputs.front().values;
    const auto found = values.find(pointer);
    return found == values.end() ? std::string("usual") : found->second.first + " .. " + found->second.last;
  };
  CHECK(values_of("ld.global.f32 d, [p+-1536]; ld.global.f32 e, [p+256]", "p") == "1536 .. 1660");
  CHECK(values_of("ld.global.f32 d, [p-4]; add.f32 e, d, d", "p") == "128 .. 252");
  CHECK(values_of("add.s64 q, p, -1000; ld.global.u32 d, [q+-24]", "p") == "1024 .. 1148");
  CHECK(values_of("ld.global.f32 d, [p+8]; add.f32 e, d, d", "p") == "0 .. 124");
  CHECK_THROWS_AS(Planned("ld.global.f32 d, [p+70000]; add.f32 e, d, d"), Error);
  CHECK_THROWS_AS(Planned("ld.shared.f32 d, [p+16384]; add.f32 e, d, d"), Error);
}
