// SPDX-License-Identifier: Apache-2.0

// Which two opcodes a witness timed, from its window.
#include "latency/witness_pairs.h"

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::latency;

namespace {

results::WindowRecord window(const std::vector<std::string>& lines) {
  results::WindowRecord made;
  const auto add = [&](const std::string& text) {
    results::SassRecord one;
    one.text = text;
    made.sass.push_back(one);
  };
  add("CS2R.32 R20, SR_CLOCKLO");
  for (const auto& line : lines) add(line);
  add("CS2R.32 R21, SR_CLOCKLO");
  return made;
}

}  // namespace

TEST_CASE("a differential timed its consumer and what made its operand") {
  CHECK(pair_at_end(window({"HFMA2.MMA R4, R2, R3, R5", "LOP3.LUT R6, R4, R7, RZ, 0x3c, !PT"})) ==
        "HFMA2.MMA → LOP3.LUT");
  CHECK(pair_at_end(window({"IMAD R8, R2, R3, RZ", "IADD3 R4, P0, R8, R3, RZ", "MOV R9, R2",
                            "IADD3.X R5, R6, R7, RZ, P0, !PT"})) == "IADD3 → IADD3.X");
  CHECK(pair_at_end(window({"MOV R4, R2", "LOP3.LUT R6, R5, R7, RZ, 0x3c, !PT"})).empty());
  CHECK(pair_at_end(window({"MOV R4, R2"})).empty());
}

TEST_CASE("a chain timed the end of a step and the beginning of the next") {
  const auto one = window({"FADD R4, R4, R3", "FADD R4, R4, R3", "FADD R4, R4, R3"});
  CHECK(pair_between_steps(one, 1) == "FADD → FADD");
  const auto two = window(
      {"IMAD R4, R5, R3, RZ", "SHF.R.U32.HI R5, RZ, 0x1, R4", "IMAD R4, R5, R3, RZ", "SHF.R.U32.HI R5, RZ, 0x1, R4"});
  CHECK(pair_between_steps(two, 2) == "SHF.R.U32.HI → IMAD");
  CHECK(pair_between_steps(one, 2).empty());
  CHECK(pair_between_steps(window({"FADD R4, R2, R3", "FADD R5, R2, R3"}), 1).empty());
}
