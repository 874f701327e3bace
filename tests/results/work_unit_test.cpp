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

TEST_CASE("an access to memory has the bytes of the types, vectors and tiles in its name") {
  using results::bytes_of;
  CHECK(bytes_of("ld.global.u8") == 1);
  CHECK(bytes_of("ld.L1::evict_last.L2::cache_hint.L2::128B.v2.s64") == 16);
  CHECK(bytes_of("st.shared.v4.f32") == 16);
  CHECK(bytes_of("ld.const.b128") == 16);
  CHECK(bytes_of("atom.global.add.noftz.v8.bf16") == 16);
  CHECK(bytes_of("red.release.gpu.global.add.noftz.f16x2") == 4);
  CHECK(bytes_of("multimem.ld_reduce.add.acc::f32.v2.bf16x2") == std::nullopt);
  CHECK(bytes_of("suld.b.2d.v4.b32.trap") == 16);
  CHECK(bytes_of("sust.b.a1d.b8.clamp") == 1);
  INFO("of a warp");
  CHECK(bytes_of("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16") == 512);
  CHECK(bytes_of("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8") == 256);
  CHECK(bytes_of("wmma.load.a.sync.aligned.row.m16n16k8.tf32") == 512);
  CHECK(bytes_of("wmma.load.b.sync.aligned.col.m8n32k16.bf16") == 1024);
  CHECK(bytes_of("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32") == 1024);
  CHECK(bytes_of("wmma.load.a.sync.aligned.row.m8n8k32.s4") == 128);
  for (const char* other : {"add.u32", "tex.1d.v4.f32.s32", "cp.async.bulk.commit_group", "ldexp", "wmma.load.", "st"})
    CHECK_FALSE(bytes_of(other));
  CHECK_FALSE(bytes_of("wmma.load.a." + std::string(1'000'000, '.')));
  const auto made = results::in_unit_of("ldmatrix.sync.aligned.m8n8.x4.shared.b16", 8.0);
  CHECK(made.value == 0.25);
  CHECK(made.bytes == 128);
  CHECK_FALSE(made.multiply_adds);
}
