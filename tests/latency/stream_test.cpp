// SPDX-License-Identifier: Apache-2.0

// Streams that outlast the queue of a unit: how long they are, and which forms keep short ones.
#include <algorithm>

#include "../ptx/shipped_catalogue.h"
#include "catch.h"
#include "isa/catalogue.h"
#include "latency/experiment.h"

using namespace ptxlat;
using namespace ptxlat::latency;

namespace {

struct Streams {
  bool are_longer = false;
  int copies = 0, shorter = 0, longer = 0;  // as in the texts
};

int count_of(const std::string& text, const std::string& what) {
  int count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

Streams streams_of(const std::string& ptx, const std::string& instruction) {
  const auto variant = isa::variants_of(shipped_form(ptx)).front();
  auto experiment = expand(shipped(), variant, consumers_for(shipped().catalogue, variant).front());
  Streams streams;
  streams.are_longer = outlast_queue(shipped(), variant, experiment);
  streams.copies = experiment.copies;
  const auto& shorter = experiment.trials[Role::stream].kernel.text;
  const auto& longer = experiment.trials[Role::stream_twice].kernel.text;
  streams.shorter = count_of(shorter, "  " + instruction);
  streams.longer = count_of(longer, "  " + instruction);
  return streams;
}

}  // namespace

TEST_CASE("a long stream has as many copies as there are registers for, and its last quarter counts") {
  const auto narrow = streams_of("popc.b32", "popc.b32");
  CHECK(narrow.are_longer);
  CHECK(narrow.longer == 64);
  CHECK(narrow.shorter == 48);
  CHECK(narrow.copies == 16);
  const auto wide = streams_of("cvt.rzi.s32.f64", "cvt.rzi.s32.f64");
  CHECK(wide.longer == 58);
  CHECK(wide.longer - wide.shorter == wide.copies);
}

TEST_CASE("copies without a result, and those that leave the SM, have long streams too") {
  CHECK(streams_of("st.shared.u32", "st.shared.u32").are_longer);
  CHECK(streams_of("atom.global.add.u32", "atom.global.add.u32").are_longer);
}

TEST_CASE("what has a place in memory for each copy, needs something before it, or is wide keeps short streams") {
  for (const char* ptx : {"mbarrier.expect_tx.shared.b64", "mbarrier.complete_tx.shared.b64", "setp.lt.f64",
                          "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16"}) {
    INFO(ptx);
    CHECK_FALSE(streams_of(ptx, ptx).are_longer);
  }
}
