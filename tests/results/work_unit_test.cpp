// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "results/metric.h"

using namespace ptxlat;

TEST_CASE("throughput counts results of threads, and instructions of warps and warpgroups that execute one together") {
  CHECK(results::work_unit_of("add.u32").threads == 1);
  CHECK(results::work_unit_of("sinf").threads == 1);
  CHECK(results::work_unit_of("membar.gl").threads == 1);
  CHECK(results::work_unit_of("shfl.sync.idx.b32").threads == 32);
  CHECK(results::work_unit_of("__shfl_down_sync").threads == 32);
  CHECK(results::work_unit_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").threads == 32);
  CHECK(results::work_unit_of("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16").threads == 128);
}

TEST_CASE("a matrix instruction has the multiply-adds of the shape in its name") {
  CHECK(results::multiply_adds_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") == 2048);
  CHECK(results::multiply_adds_of("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16") == 262144);
  CHECK(results::multiply_adds_of("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32") == 4096);
  CHECK_FALSE(results::multiply_adds_of("wmma.load.a.sync.aligned.row.m16n16k16.f16"));
  CHECK_FALSE(results::multiply_adds_of("ldmatrix.sync.aligned.m8n8.x4.shared.b16"));
  // A stranger's store may have any name.
  for (const std::size_t digits : {400, 1'000'000})
    CHECK_FALSE(results::multiply_adds_of("mma.sync.aligned.m" + std::string(digits, '1') + "n8k16.f32"));
}
