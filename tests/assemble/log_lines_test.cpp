// SPDX-License-Identifier: Apache-2.0
#include "assemble/log_lines.h"

#include "catch.h"

namespace ptxlat::assemble {

TEST_CASE("the words of ptxas are read with their line and weight") {
  const auto diagnostics = diagnostics_in(
      "ptxas module.ptx, line 12; error   : Arguments mismatch for instruction 'mov'\n"
      "ptxas module.ptx, line 13; warning : Instruction 'vote' without '.sync' is deprecated\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas application ptx input, line 6; fatal   : Parsing error near '::': syntax error\n"
      "ptxas error   : Entry function 'a' uses too much shared data (0x30d40 bytes, 0xc000 max)\n"
      "ptxas fatal   : Ptx assembly aborted due to errors");
  REQUIRE(diagnostics.size() == 3);
  CHECK(diagnostics[0].line == 12);
  CHECK_FALSE(diagnostics[0].fatal);
  CHECK(diagnostics[0].message == "Arguments mismatch for instruction 'mov'");
  CHECK(diagnostics[1].line == 6);
  CHECK(diagnostics[1].fatal);
  CHECK(diagnostics[1].message == "Parsing error near '::': syntax error");
  CHECK(diagnostics[2].line == 0);
}

TEST_CASE("the instruction that a log has in quotes is found") {
  CHECK(quoted_name("line 12: error: Arguments mismatch for instruction 'mul.lo'\n") == "mul.lo");
  CHECK(quoted_name("line 6: fatal: Parsing error near '::': syntax error; after 'add'") == "add");
  CHECK(quoted_name("the assembler failed: ptxas's end").empty());
}

TEST_CASE("what is not a diagnostic is not read as one") {
  CHECK(diagnostics_in("").empty());
  CHECK(diagnostics_in("Segmentation fault\n\n::\nterror: run\n").empty());
}

}  // namespace ptxlat::assemble
