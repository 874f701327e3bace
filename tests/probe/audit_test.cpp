// SPDX-License-Identifier: Apache-2.0
#include "../sass/window_text.h"
#include "catch.h"
#include "probe/readers.h"

using namespace ptxlat;
using namespace ptxlat::probe;
using Opcodes = std::vector<std::string>;

namespace {

const sass::Window two_loads =
    window({{"LDG.E.64.STRONG.GPU R2, desc[UR4][R2.64]", 2, 0}, {"LDG.E.64 R2, desc[UR4][R2.64]"}, {"@P0 BRA 0x100"}});

sass::Audit audit_of(const sass::Window& window, const std::map<std::string, std::int64_t>& opcodes,
                     const Opcodes& beside, bool whole_kernel = false, const Opcodes& without = {}) {
  Probe probe;
  probe.beside = beside;
  probe.without = without;
  probe.whole_kernel = whole_kernel;
  Point point;
  point.opcodes = opcodes;
  return probe::audit(probe, point, window);
}

}  // namespace

TEST_CASE("a window with the specified opcodes is proven, whatever its modifiers and predicates") {
  const auto audit = audit_of(two_loads, {{"LDG", 2}}, {"BRA", "EXIT"});
  INFO(audit.reason);
  CHECK(audit.is_proven());
  CHECK(audit.sass == Opcodes{"LDG", "LDG"});
}

TEST_CASE("an opcode that is missing is elided, and one too many contaminates") {
  const auto missing = audit_of(two_loads, {{"LDG", 3}}, {"BRA"});
  CHECK(missing.verdict == sass::Verdict::elided);
  CHECK(missing.reason == "2 LDG instead of 3");
  const auto more = audit_of(two_loads, {{"LDG", 1}}, {"BRA"});
  CHECK(more.verdict == sass::Verdict::contaminated);
  CHECK(more.reason == "2 LDG instead of 1");
  CHECK(audit_of(two_loads, {{"LDG", 2}, {"FFMA", 1}}, {"BRA"}).verdict == sass::Verdict::elided);
}

TEST_CASE("an opcode that the probe does not name contaminates") {
  const auto foreign = audit_of(two_loads, {{"LDG", 2}}, {});
  CHECK(foreign.verdict == sass::Verdict::contaminated);
  CHECK(foreign.reason == "1 BRA that the probe does not name");
}

TEST_CASE("an opcode may be promised not to be there") {
  CHECK(audit_of(two_loads, {{"LDG", 2}, {"LDL", 0}}, {"BRA"}).is_proven());
  CHECK(audit_of(two_loads, {{"LDG", 2}, {"BRA", 0}}, {"BRA"}).verdict == sass::Verdict::contaminated);
}

TEST_CASE("clock reads are the edges of a window, but ordinary instructions of a whole kernel") {
  CHECK(audit_of(two_loads, {{"LDG", 2}}, {"BRA"}, true).verdict == sass::Verdict::contaminated);
  CHECK(audit_of(two_loads, {{"LDG", 2}, {"CS2R", 2}}, {"BRA"}, true).is_proven());
}

TEST_CASE("an opcode with modifiers is one that has them all, in whatever order and among others") {
  const auto wide = window({{"LDS.U.128 R4, [R2]"}, {"LDS.64 R2, [R2]"}, {"LDS R2, [R2]"}, {"LDS.128 R4, [R2]"}});
  const auto audit = audit_of(wide, {{"LDS.128", 2}, {"LDS.64", 1}, {"LDS", 1}}, {});
  INFO(audit.reason);
  CHECK(audit.is_proven());
  CHECK(audit.sass == Opcodes{"LDS", "LDS.128", "LDS.128", "LDS.64"});
  CHECK(audit_of(wide, {{"LDS.128.U", 1}, {"LDS", 3}}, {}).is_proven());
  CHECK(audit_of(wide, {{"LDS.128", 3}}, {"LDS"}).reason == "2 LDS.128 instead of 3");
}

TEST_CASE("an opcode with modifiers does not count other instructions of its name") {
  const auto narrow = window({{"LDS.128 R4, [R2]"}, {"LDS.64 R2, [R2]"}});
  const auto audit = audit_of(narrow, {{"LDS.128", 1}}, {});
  CHECK(audit.verdict == sass::Verdict::contaminated);
  CHECK(audit.reason == "1 LDS that the probe does not name");
  CHECK(audit_of(narrow, {{"LDS.128", 1}}, {"LDS"}).is_proven());
  INFO("a modifier is a whole one, and not a part of another");
  CHECK(audit_of(window({{"LDS.U128 R4, [R2]"}}), {{"LDS.128", 1}}, {"LDS"}).verdict == sass::Verdict::elided);
}

TEST_CASE("anything except what the probe excludes may be in the window") {
  CHECK(audit_of(two_loads, {{"LDG", 2}}, {}, false, {"STL"}).is_proven());
  const auto excluded = audit_of(two_loads, {{"LDG", 2}}, {}, false, {"STL", "BRA"});
  CHECK(excluded.verdict == sass::Verdict::contaminated);
  CHECK(excluded.reason == "1 BRA that the probe does not name");
  INFO("what is named is counted all the same");
  CHECK(audit_of(two_loads, {{"LDG", 1}}, {}, false, {"STL"}).verdict == sass::Verdict::contaminated);
  CHECK(audit_of(two_loads, {{"LDG", 2}, {"FFMA", 1}}, {}, false, {"STL"}).verdict == sass::Verdict::elided);
}
