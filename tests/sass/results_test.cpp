// SPDX-License-Identifier: Apache-2.0
#include "sass/results.h"

#include "catch.h"

using namespace ptxlat::sass;

TEST_CASE("a matrix has as many registers as its shape and type say") {
  CHECK(matrix_registers("HMMA.16816.F32") == 4);
  CHECK(matrix_registers("HMMA.16816.F32.BF16") == 4);
  CHECK(matrix_registers("HMMA.SP.16832.F16") == 2);
  CHECK(matrix_registers("IMMA.16832.S8.U8.SAT") == 4);
  CHECK(matrix_registers("IMMA.8816.S8.S8") == 2);
  CHECK(matrix_registers("IMMA.SP.16864.S8.S8") == 4);
  CHECK(matrix_registers("BMMA.88128.AND.POPC") == 2);
  CHECK(matrix_registers("DMMA.8x8x4") == 4);
  CHECK(matrix_registers("DMMA.16x8x16.RM") == 8);
  CHECK(matrix_registers("QMMA.16832.F32.E4M3.E4M3") == 4);
  CHECK(matrix_registers("HGMMA.64x8x16.F32") == 0);
  CHECK(matrix_registers("HFMA2.MMA") == 0);
  CHECK(matrix_registers("FFMA") == 0);
}

TEST_CASE("all registers of a matrix and of a wide load are results, and those of others as their text says") {
  using Registers = std::vector<Register>;
  const auto general = [](int number) { return Register{RegisterFile::general, number}; };
  CHECK(results_of("HMMA.SP.16816.F16 R6, R6, R8, R10, R12, 0x0") == Registers{general(6), general(7)});
  CHECK(results_of("IMMA.16816.S8.S8 R4, R8.ROW, R10.COL, RZ") ==
        Registers{general(4), general(5), general(6), general(7)});
  CHECK(results_of("LDG.E.128 R4, desc[UR4][R2.64]") == Registers{general(4), general(5), general(6), general(7)});
  CHECK(results_of("LDS.U8 R4, [R2]") == Registers{general(4)});
  CHECK(results_of("STG.E.128 desc[UR4][R2.64], R8").empty());
  CHECK(results_of("IMAD.WIDE R4, R2, R3, RZ") == Registers{general(4), general(5)});
  CHECK(results_of("FADD R4, R2, R3") == Registers{general(4)});
  CHECK(results_of("LDSM.16.M88.2 R4, [R2]") == Registers{general(4), general(5)});
  CHECK(results_of("ATOM.E.ADD.BF16x8.RN.STRONG.GPU PT, R4, desc[UR4][R12.64], R8") ==
        Registers{general(4), general(5), general(6), general(7)});
  CHECK(results_of("SULD.D.BA.1D.64.STRONG.SM R14, [R9], UR8, 0x0") == Registers{general(14), general(15)});
  CHECK(results_of("SULD.P.2D.STRONG.SM R14, [R9], UR8, 0x0") == Registers{general(14)});
  CHECK(results_of("@P0 TLD.LZ R10, R14, R9, UR4, 0x0, 1D") ==
        Registers{general(10), general(11), general(14), general(15)});
  CHECK(results_of("TXQ RZ, R6, R6, TEX_HEADER_DIMENSION, UR4, 0x0, 0x4") == Registers{general(6), general(7)});
  CHECK(results_of("TEX.LL RZ, R14, R9, R8, UR4, 0x0, 1D, 0x8") == Registers{general(14), general(15)});
}
