// SPDX-License-Identifier: Apache-2.0
#include "isa/select.h"

#include "base/error.h"
#include "base/nearest_names.h"
#include "base/processor_time.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::isa;
using Names = std::vector<std::string>;

namespace {

Catalogue catalogue_of(const Names& spellings) {
  Catalogue catalogue;
  for (const std::string& ptx : spellings) {
    Form form;
    form.ptx = ptx;
    form.opcode = ptx.substr(0, ptx.find('.'));
    catalogue.forms.push_back(form);
  }
  return catalogue;
}

const Catalogue catalogue = catalogue_of({"add.u32", "add.rn.f32", "addc.u32", "cvt.rn.f32.s32", "sub.u32"});

Names selected(const Names& patterns) {
  Names names;
  for (const Form* form : select_forms(catalogue, patterns)) names.push_back(form->ptx);
  return names;
}

}  // namespace

TEST_CASE("no pattern selects everything") { CHECK(selected({}).size() == 5); }

TEST_CASE("a plain opcode selects its forms and no longer name") {
  CHECK(selected({"add"}) == Names{"add.u32", "add.rn.f32"});
}

TEST_CASE("a glob must match the whole spelling") {
  CHECK(selected({"add*"}) == Names{"add.u32", "add.rn.f32", "addc.u32"});
  CHECK(selected({"*.f32.*"}) == Names{"cvt.rn.f32.s32"});
  CHECK(selected({"?ub.u32"}) == Names{"sub.u32"});
  CHECK_THROWS_AS(selected({"dd.u32"}), Error);
}

TEST_CASE("a regular expression stands between slashes and is found anywhere") {
  CHECK(selected({"/^(add|sub)\\.u/"}) == Names{"add.u32", "sub.u32"});
  CHECK(selected({"/s32$/"}) == Names{"cvt.rn.f32.s32"});
}

TEST_CASE("patterns add up in the order of the catalogue, each form once") {
  CHECK(selected({"sub.*", "add.u32", "*.u32"}) == Names{"add.u32", "addc.u32", "sub.u32"});
}

TEST_CASE("a pattern that selects nothing names similar spellings") {
  try {
    selected({"add.rn.f23"});
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::unknown_name);
    CHECK(std::string(error.what()) == "no form matches \"add.rn.f23\"");
    CHECK_THAT(error.advice, Catch::Matchers::StartsWith("Did you mean add.rn.f32"));
  }
}

TEST_CASE("a broken regular expression is the user's mistake") {
  try {
    selected({"/(/"});
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::usage);
  }
}

TEST_CASE("no regular expression takes long, however it repeats itself") {
  const auto usage = [](const Catalogue& of, const std::string& pattern) {
    try {
      select_forms(of, {pattern});
    } catch (const Error& error) {
      return error.exit_code == ExitCode::usage;
    }
    return false;
  };
  const auto begin = processor_time();
  CHECK_THROWS_AS(selected({"/^(([a-z.0-9]+)+)+X$/"}), Error);
  // Long spellings, in a catalogue of somebody's.
  CHECK_THROWS_AS(select_forms(catalogue_of({std::string(20'000, 'a')}), {"/^(([a-z.0-9]+)+)+X$/"}), Error);
  CHECK(usage(catalogue, "/" + std::string(20'000, '(') + std::string(20'000, ')') + "/"));
  CHECK(usage(catalogue, "/(a)\\1/"));
  CHECK(usage(catalogue_of(Names(100'000, "wgmma.mma_async.sync.aligned.m64n256k16.f32.e4m3.e5m2")),
              "/(.{1,60}){1,60}X/"));
  CHECK(processor_time() - begin < std::chrono::seconds(20));
}

TEST_CASE("near names come best first, and far ones not at all") {
  CHECK(nearest_names("fmaa", {"popc", "fma", "xfmab", "bfind"}) == Names{"fma", "xfmab"});
  CHECK(nearest_names("fmaa", {"fma", "fmab", "fmac", "fmad"}, 2).size() == 2);
  CHECK(nearest_names("eta", {"eat"}) == Names{"eat"});
  CHECK(nearest_names("quadruple", {"add", "sub"}).empty());
}
