// SPDX-License-Identifier: Apache-2.0
#include "sass/opcodes.h"

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::sass;

TEST_CASE("an opcode is known by its whole name, whatever others begin with it") {
  CHECK(has("CAL", Trait::calls));
  CHECK(has("CALL.REL.NOINC", Trait::calls));
  CHECK_FALSE(has("CALX", Trait::calls));
  CHECK(has("LDG.E.64", Trait::loads_operand));
  CHECK_FALSE(has("LDGSTS.E.BYPASS.128", Trait::loads_operand));
  CHECK(has("MOV.64", Trait::moves));
  CHECK_FALSE(has("MOVM.16.MT88", Trait::moves));
  CHECK(has("SHF.R.U32.HI", Trait::moves_bits));
  CHECK_FALSE(has("SHFL.IDX", Trait::moves_bits));
  CHECK(has("RED.E.ADD", Trait::no_result));
  CHECK_FALSE(has("REDUX.SUM", Trait::no_result));
  CHECK(has("SYNC", Trait::leaves));
  CHECK_FALSE(has("SYNCS.EXCH.64", Trait::leaves));
}

TEST_CASE("a modifier that makes a different opcode counts with all that follow it") {
  CHECK(has("IMAD.MOV.U32", Trait::provides_operand));
  CHECK_FALSE(has("IMAD.WIDE.U32", Trait::provides_operand));
  CHECK(has("IMAD.WIDE.U32", Trait::makes_constant));
  CHECK(has("CALL.REL.NOINC", Trait::code_address));
  CHECK_FALSE(has("CALL.ABS.NOINC", Trait::code_address));
}

TEST_CASE("an opcode that is not in the table has no traits") {
  CHECK_FALSE(has("FROBNICATE.X", static_cast<Trait>(~0u)));
  CHECK_FALSE(has("", static_cast<Trait>(~0u)));
  CHECK_FALSE(has_wide_result("FROBNICATE"));
  CHECK(canonical_opcode("FROBNICATE.X") == "FROBNICATE.X");
}

TEST_CASE("a pair of registers is recognised by the opcode or its modifiers") {
  for (const char* wide : {"DADD", "DFMA.RP", "IMAD.WIDE.U32", "LDG.E.64.CONSTANT", "LDS.64", "CS2R", "F2F.F64.F32",
                           "FRND.F64.TRUNC", "I2F.F64.S64", "I2F.RZ.F64", "F2I.S64.F64", "F2I.U64.TRUNC"})
    CHECK(has_wide_result(wide));
  for (const char* narrow : {"IMAD", "LDG.E", "CS2R.32", "F2F.F32.F64", "FRND.TRUNC", "I2F.S64", "F2I.F64", "DSETP.LT"})
    CHECK_FALSE(has_wide_result(narrow));
}

TEST_CASE("what begins with U runs on the uniform datapath, but moves and constants do not count") {
  CHECK(computes_uniformly("UIADD3.X"));
  CHECK(computes_uniformly("UNHEARD_OF"));
  CHECK_FALSE(computes_uniformly("UMOV"));
  CHECK_FALSE(computes_uniformly("ULDC.64"));
  CHECK_FALSE(computes_uniformly("IADD3"));
}

TEST_CASE("the same operation on a different pipe has one canonical name") {
  CHECK(canonical_opcode("IMAD.IADD") == canonical_opcode("IADD3"));
  CHECK(canonical_opcode("VIADD") == canonical_opcode("IADD3"));
  CHECK(canonical_opcode("IMAD.X") == canonical_opcode("IADD3.X"));
  CHECK(canonical_opcode("IMAD.MOV.U32") == canonical_opcode("MOV"));
  CHECK(canonical_opcode("IMAD.WIDE") == "IMAD.WIDE");
  CHECK(canonical_opcode("MUFU.RCP") == "MUFU.RCP");
  CHECK(operation_of("HFMA2.MMA.SAT") == operation_of("HFMA2.SAT"));
}

TEST_CASE("how much a load or a store moves is in its name") {
  for (const auto& [opcode, bytes] : {std::pair{"LDG.E", 4},
                                      {"LDG.E.128.CONSTANT", 16},
                                      {"LDG.E.U8", 1},
                                      {"LD.E.S16.STRONG.SYS", 2},
                                      {"LDS.64", 8},
                                      {"LDC.U16", 2},
                                      {"LDL", 4},
                                      {"STG.E.ENL2.256", 32},
                                      {"ST.E.U8", 1},
                                      {"STAS.128", 16},
                                      {"ATOMG.E.ADD.64", 0},
                                      {"LDSM.16.M88.4", 0},
                                      {"LDGSTS.E.128", 0},
                                      {"MOV.64", 0}}) {
    INFO(opcode);
    CHECK(access_bytes(opcode) == bytes);
  }
}
