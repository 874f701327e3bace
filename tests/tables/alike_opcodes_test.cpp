// SPDX-License-Identifier: Apache-2.0

// Which opcodes have a row of their own in opcodes.md.
#include "catch.h"
#include "tables/opcode_files.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

using Names = std::vector<std::string>;

results::Opcode opcode(const std::string& name, double throughput, double latency) {
  results::Opcode made;
  made.name = name;
  made.pipe = "alu";
  made.throughput = throughput;
  made.latency = latency;
  made.saturates_at = 4;
  return made;
}

Names groups_of(const std::vector<results::Opcode>& opcodes) {
  Names names;
  for (const auto& group : alike_opcodes(opcodes)) {
    auto& text = names.emplace_back();
    for (const auto member : group) text += (text.empty() ? "" : " ") + opcodes[member].name;
  }
  return names;
}

}  // namespace

TEST_CASE("opcodes share a row for people if modifiers change nothing that was measured, never by their names alone") {
  std::vector<results::Opcode> opcodes{opcode("ISETP.GE.AND", 64, 13), opcode("ISETP.LT.AND", 64.3, 13),
                                       opcode("ISETP.LT.AND.EX", 64, 14), opcode("FSETP.LT.AND", 64, 13),
                                       opcode("ISETP.EQ.AND", 32, 13)};
  CHECK(groups_of(opcodes) == Names{"ISETP.GE.AND ISETP.LT.AND", "ISETP.LT.AND.EX", "FSETP.LT.AND", "ISETP.EQ.AND"});
  SECTION("what only one of them has is not compared") {
    opcodes[0].hazard = 13;
    opcodes[0].counters = {{"alu", 1}};
    CHECK(groups_of(opcodes).front() == "ISETP.GE.AND ISETP.LT.AND");
  }
  SECTION("what two of them have is, also through a third one") {
    opcodes[0].hazard = 13;
    opcodes[4] = opcode("ISETP.EQ.AND", 64, 13);
    opcodes[4].hazard = 12;
    CHECK(groups_of(opcodes) == Names{"ISETP.GE.AND ISETP.LT.AND", "ISETP.LT.AND.EX", "FSETP.LT.AND", "ISETP.EQ.AND"});
  }
  SECTION("latencies to a pipe may differ by 1 %, as those that leave the SM do") {
    opcodes[0].latencies = {{"alu", 262}, {"fp64", 264}};
    opcodes[1].latencies = {{"alu", 264}};
    CHECK(groups_of(opcodes).front() == "ISETP.GE.AND ISETP.LT.AND");
    opcodes[1].latencies = {{"alu", 266}};
    CHECK(groups_of(opcodes).front() == "ISETP.GE.AND");
  }
  SECTION("a latency, pipe or arrival that only one has is a difference") {
    opcodes[1].latency.reset();
    opcodes[4] = opcode("ISETP.EQ.AND", 64, 13);
    opcodes[4].pipe = "fma";
    CHECK(groups_of(opcodes).size() == 5);
  }
}
