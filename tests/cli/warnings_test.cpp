// SPDX-License-Identifier: Apache-2.0

// The program's warnings about a GPU that others use or that throttles, with the stand-in's NVML (standin/nvml.cpp).
#include "ptxlat_program.h"
#include "text.h"

using namespace ptxlat;

namespace {

const std::vector<std::string> one_form{"run", "--filter", "add.u32", "-O", "3", "--repeat", "0"};

bool has_warning(const results::Run& run, const std::string& part) {
  return std::any_of(run.warnings.begin(), run.warnings.end(), [&](const auto& text) { return has(text, part); });
}

}  // namespace

TEST_CASE("a run on a busy GPU warns on the terminal and in run.json, and continues") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_STANDIN_NVML", "process=4711 process=4712 reasons=4 power_ns=7000000");
  const auto ended = program.run(one_form);
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "warning: "));
  CHECK(has(ended.err, "on this GPU: trainer (4711)"));
  CHECK_FALSE(has(ended.out, "warning"));
  const auto run = tables::read_table(program.table()).run;
  CHECK(has_warning(run, "trainer (4711)"));
  CHECK(has_warning(run, "The clocks are limited by the power limit. Cycles inside an SM"));
  CHECK(has_warning(run, "The clocks were lowered for 7.0 ms during the run, by the power limit"));
}

TEST_CASE("the same numbers come from a busy GPU, and from one without NVML") {
  PtxlatProgram quiet, busy, without;
  quiet.require_tools();
  busy.require_tools();
  without.require_tools();
  busy.set("PTXLAT_STANDIN_NVML", "process=4711 mig display no_ecc");
  without.set("PTXLAT_LIBNVML", "/nonexistent");
  for (auto* program : {&quiet, &busy, &without}) REQUIRE(program->run(one_form).status == 0);
  CHECK(busy.csv() == quiet.csv());
  CHECK(without.csv() == quiet.csv());
  CHECK(has_warning(tables::read_table(without.table()).run,
                    "It is unknown whether the GPU is shared or throttled: /nonexistent: cannot open shared object"));
}

TEST_CASE("a driver whose JIT is older than what a filter names is a warning of the run") {
  PtxlatProgram program;
  program.require_tools();
  // The stand-in is a driver of CUDA 13.0, whose PTX is 9.0.
  const auto mine = program.write_catalogue(
      "chapter = \"mine\"\nsection = \"9.7\"\n[[op]]\nname = \"later\"\nptx = \"99.0\"\n"
      "syntax = \"later.u32 {d:u32}, {a:u32}\"\n");
  const auto ended = program.run(
      {"run", "--filter", "later", "--catalogue", mine.string(), "-O", "3", "--repeat", "0", "--format", "none"});
  INFO(ended.err);
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "supports PTX 9.0, but 1 form needs up to 99.0"));
}

TEST_CASE("doctor shows the warnings among what is here") {
  PtxlatProgram program;
  program.set("PTXLAT_STANDIN_NVML", "process=4711 process=4712 display");
  const auto ended = program.run({"doctor"});
  CHECK(has(ended.out, "on this GPU: trainer (4711)"));
  CHECK(has(ended.out, "warning     This GPU drives a display"));
  CHECK(has(ended.out, "Choose another GPU with --device"));
}
