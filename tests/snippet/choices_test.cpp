// SPDX-License-Identifier: Apache-2.0

// How the user wants a snippet to be measured.
#include "snippet/choices.h"

#include "base/error.h"
#include "catch.h"
#include "understood.h"

using namespace ptxlat;
using namespace ptxlat::snippet;

namespace {

Choices choices(const std::string& consumer, const std::string& input) {
  Choices made;
  made.consumer = consumer;
  made.input = input;
  return made;
}
Choices same_lanes() {
  Choices made;
  made.same_lanes = true;
  return made;
}
Choices from_l2() {
  Choices made;
  made.loads_from_l2 = true;
  return made;
}

}  // namespace

TEST_CASE("plain loads of global memory get .cg, and no others") {
  const auto chosen = [](const std::string& opcode) {
    auto text = parse(opcode + " d, [p]", "snippet");
    choose_cache(text, from_l2());
    return text.statements.front().opcode;
  };
  CHECK(chosen("ld.global.f32") == "ld.global.cg.f32");
  CHECK(chosen("ld.global.nc.v2.f32") == "ld.global.cg.nc.v2.f32");
  CHECK(chosen("ld.u32") == "ld.cg.u32");
  CHECK(chosen("ld.v4.u32") == "ld.cg.v4.u32");
  for (const char* other :
       {"ld.shared.f32", "ld.global.cv.f32", "ld.global.relaxed.gpu.u32", "ld.const.u32", "st.global.u32"})
    CHECK(chosen(other) == other);
}

TEST_CASE("a consumer must take a result, and a class of inputs belong to an instruction") {
  const auto consumer_of = [](const std::string& text, const std::string& name) {
    const auto snippet = understood(text);
    auto made = plan(snippet, shipped().catalogue);
    choose_witness(made, shipped().catalogue, choices(name, ""));
    return made.forms.front()->form.consumers;
  };
  CHECK(consumer_of("add.u32 d, a, b", "mul.lo.u32") == std::vector<std::string>{"mul.lo.u32"});
  CHECK_THROWS_WITH(consumer_of("add.u32 d, a, b", "add.rn.f64"), "no consumer add.rn.f64 takes a .u32");
  auto catalogue = shipped().catalogue;
  const Syntaxes syntaxes(catalogue);
  const auto snippet = understand(parse("rcp.rn.f32 d, a", "snippet"), "snippet", syntaxes, catalogue, {});
  choose_values(catalogue, snippet, choices("", "denormal"));
  CHECK(snippet.instructions.front().form->inputs.front().name == "denormal");
  CHECK_THROWS_AS(choose_values(catalogue, snippet, choices("", "absent")), Error);
}

TEST_CASE("the same values in all lanes are those of the first lane, and one address") {
  auto catalogue = shipped().catalogue;
  const Syntaxes syntaxes(catalogue);
  const auto snippet = understand(parse("ld.global.u32 d, [p]; match.any.sync.b32 m, a, 0xffffffff", "snippet"),
                                  "snippet", syntaxes, catalogue, {});
  choose_values(catalogue, snippet, same_lanes());
  for (const auto& value : catalogue.defaults.at("b32")) CHECK(value.first == value.last);
  CHECK(catalogue.objects.at("global").offset == isa::Offset::same);
  CHECK(conditions_of(snippet, same_lanes()) == "loads hit L1; all lanes have one address");
  CHECK(conditions_of(snippet, from_l2()) == "loads hit L1; the lanes' addresses are side by side");
  CHECK(conditions_of(understood("add.u32 d, a, b"), {}).empty());
}
