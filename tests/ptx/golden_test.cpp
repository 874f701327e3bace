// SPDX-License-Identifier: Apache-2.0

// Whole kernels, to be read in review. A change in a skeleton or in src/ptx shows here as what it does to the PTX; run
// with PTXLAT_UPDATE_GOLDEN=1 to accept it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catch.h"
#include "isa/catalogue.h"
#include "latency/experiment.h"
#include "shipped_catalogue.h"
#include "text.h"

using namespace ptxlat;
using namespace ptxlat::ptx;
using namespace ptxlat::latency;

namespace {

const std::filesystem::path source = PTXLAT_SOURCE_DIR;

Experiment experiment_for(const std::string& ptx, const std::string& operand, const std::string& consumer,
                          Frame frame = Frame::loop) {
  const auto variants = isa::variants_of(shipped_form(ptx));
  const auto variant =
      std::find_if(variants.begin(), variants.end(), [&](const isa::Variant& v) { return v.operand == operand; });
  REQUIRE(variant != variants.end());
  const auto consumers = consumers_for(shipped().catalogue, *variant);
  const auto wanted =
      std::find_if(consumers.begin(), consumers.end(), [&](const isa::Consumer* c) { return c->name == consumer; });
  REQUIRE(wanted != consumers.end());
  auto experiment = expand(shipped(), *variant, *wanted);
  if (frame == Frame::subroutine) change_to_subroutine(shipped(), *variant, *wanted, true, experiment);
  return experiment;
}

void check_golden(const ptx::Trial& trial, const std::string& name) {
  const auto file = source / "tests/ptx/golden" / (name + ".ptx");
  const auto text = fill({"frame.ptx", trial.kernel.text}, {{"name", name}});
  if (const char* update = std::getenv("PTXLAT_UPDATE_GOLDEN"); update != nullptr && *update != '\0')
    std::ofstream(file) << text;
  CHECK(text == content_of(file));
}

}  // namespace

TEST_CASE("the differential of popc and its base") {
  const auto experiment = experiment_for("popc.b32", "a", "xor.b32");
  check_golden(experiment.trials[Role::differential], "popc_differential");
  check_golden(experiment.trials[Role::differential_base], "popc_base");
}

TEST_CASE("the chain of fma through c") {
  check_golden(experiment_for("fma.rn.f32", "c", "add.rn.f32").trials[Role::chain], "fma_chain_c");
}

TEST_CASE("the bridge that makes a source operand of a predicate") {
  const auto experiment = experiment_for("setp.lt.u32", "a", "selp.b32");
  check_golden(experiment.trials[Role::bridge], "setp_bridge");
}

TEST_CASE("a chain through the condition code") {
  check_golden(experiment_for("addc.cc.u32", "cc", "addc.u32").trials[Role::chain], "addc_chain_carry");
}

TEST_CASE("a special register in a subroutine") {
  const auto experiment = experiment_for("mov.u32 d, %laneid", "", "xor.b32", Frame::subroutine);
  check_golden(experiment.trials[Role::differential], "laneid_subroutine");
}

TEST_CASE("a kernel with memory is not a subroutine") {
  const auto experiment = experiment_for("ld.global.b32", "a", "xor.b32", Frame::subroutine);
  for (const Role role : {Role::differential, Role::chain, Role::stream})
    CHECK(experiment.trials[role].kernel.text.empty());
}
