// SPDX-License-Identifier: Apache-2.0

// What the vendor documents, beside what was measured.
#include "tables/published.h"

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

results::Record throughput(const std::string& ptx, double results_per_cycle) {
  results::Record record;
  record.kind = results::RecordKind::throughput;
  record.ptx = ptx;
  record.set(results::metric::throughput, results_per_cycle);
  return record;
}

}  // namespace

TEST_CASE("a throughput that differs from the vendor's has it in its note, in the unit of the form") {
  const auto published =
      read_published_throughputs(PTXLAT_SOURCE_DIR "/site/" + std::string(published_throughput_name));
  REQUIRE(published.size() > 50);
  std::vector<results::Record> records{throughput("add.f64", 63.9), throughput("add.f16x2", 64),
                                       throughput("shfl.sync.idx.b32", 32), throughput("add.f16x2", 64),
                                       throughput("popc.b64", 8)};
  records[3].operand = "HADD2";
  note_published(records, "sm_90a", published, {});
  CHECK(records[0].note.empty());
  CHECK_THAT(records[1].note, Catch::Matchers::StartsWith("the vendor documents 128 (CUDA C++ Programming Guide"));
  CHECK(records[2].note.empty());  // 32 results are one warp instruction
  CHECK(records[3].note.empty());
  CHECK(records[4].note.empty());
  std::vector<results::Record> other{throughput("add.f16x2", 64)};
  note_published(other, "sm_120", published, {});
  CHECK(other.front().note.empty());
}

TEST_CASE("what is published of a form is noted where its machine code is") {
  const std::vector<PublishedThroughput> published{{"add.u32", "sm_90", 64, "results", "a guide"}};
  std::vector<results::Record> records{throughput("add.s32", 32), throughput("add.u16", 32)};
  note_published(records, "sm_90a", published, {{"add.s32", 3, "add.s32", ""}, {"add.u32", 3, "add.s32", ""}});
  CHECK(records[0].note == "the vendor documents 64 (a guide)");
  CHECK(records[1].note.empty());
}
