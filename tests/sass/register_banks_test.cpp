// SPDX-License-Identifier: Apache-2.0
#include "sass/register_banks.h"

#include "catch.h"
#include "window_text.h"

using namespace ptxlat;
using namespace ptxlat::sass;

TEST_CASE("registers are read from two banks, and the one of which more are read counts") {
  CHECK(reads_of_busiest_bank(window({})) == 0);
  CHECK(reads_of_busiest_bank(window({{"FFMA R9, R8, R9, R11", 1}})) == 2);
  CHECK(reads_of_busiest_bank(window({{"FFMA R9, R8, R9, R11", 1}, {"FFMA R12, R8, R10, R11", 1}})) == 3);
  // RZ is not a register, and a register that is read twice counts once.
  CHECK(reads_of_busiest_bank(window({{"FFMA R9, R8, R9, RZ", 1}, {"FADD R4, R7, R7", 1}})) == 2);
  CHECK(reads_of_busiest_bank(window({{"@P0 BRA 0x340", 6}})) == 0);
}

TEST_CASE("a source of FP64 is a pair, one register of each bank") {
  CHECK(reads_of_busiest_bank(window({{"DFMA R4, R6, R8, R10", 2}})) == 3);
  CHECK(reads_of_busiest_bank(window({{"DADD R4, R6, R8", 2}})) == 2);
}

TEST_CASE("if operands are kept for reuse, scoreboards are set, or banks are different, nothing is known") {
  CHECK_FALSE(reads_of_busiest_bank(window({{"FFMA R9, R8.reuse, R9, R11", 1}})));
  CHECK_FALSE(reads_of_busiest_bank(window({{"MUFU.RCP R9, R8", 1, 0}})));
  auto maxwell = window({{"FFMA R9, R8, R9, R11", 1}});
  maxwell.layout = CodeLayout::maxwell;
  CHECK_FALSE(reads_of_busiest_bank(maxwell));
}
