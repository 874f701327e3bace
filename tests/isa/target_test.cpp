// SPDX-License-Identifier: Apache-2.0
#include "isa/target.h"

#include "catch.h"
#include "isa/rule.h"

using namespace ptxlat;
using namespace ptxlat::isa;

namespace {

Requirement needing(const std::vector<std::string>& groups) {
  Requirement requirement;
  for (const auto& group : groups) {
    Requirement one;
    REQUIRE(read_targets(group, one));
    requirement = stricter(requirement, one);
  }
  return requirement;
}

bool has(const std::vector<std::string>& groups, const std::string& target) {
  return has_target(needing(groups), *target_from_name(target));
}

}  // namespace

TEST_CASE("a target without a suffix means that one or a newer one") {
  CHECK(has({"sm_90"}, "sm_90"));
  CHECK(has({"sm_90"}, "sm_90a"));
  CHECK(has({"sm_90"}, "sm_121f"));
  CHECK_FALSE(has({"sm_90"}, "sm_89"));
}

TEST_CASE("an architecture-specific target means that one alone") {
  CHECK(has({"sm_100a"}, "sm_100a"));
  for (const char* other : {"sm_100", "sm_100f", "sm_103a", "sm_90a"}) CHECK_FALSE(has({"sm_100a"}, other));
}

TEST_CASE("a family is its major number, not older, with a suffix") {
  for (const char* member : {"sm_100a", "sm_100f", "sm_103a", "sm_103f"}) CHECK(has({"sm_100f"}, member));
  for (const char* other : {"sm_100", "sm_103", "sm_110a", "sm_120f", "sm_90a"}) CHECK_FALSE(has({"sm_100f"}, other));
  CHECK_FALSE(has({"sm_103f"}, "sm_100a"));
}

TEST_CASE("of a group one is enough, of several groups each must have one") {
  const std::vector<std::string> groups = {"sm_90a|sm_100f", "sm_100"};
  CHECK(has(groups, "sm_103a"));
  CHECK_FALSE(has(groups, "sm_90a"));
  CHECK_FALSE(has(groups, "sm_120a"));
  CHECK(targets_text(needing(groups)) == "sm_90a|sm_100f and sm_100");
}

TEST_CASE("of lower bounds the highest is left, and a group is there once") {
  CHECK(targets_text(needing({"sm_80", "sm_90", "sm_75"})) == "sm_90");
  CHECK(targets_text(needing({"sm_90a|sm_100a", "sm_90a|sm_100a"})) == "sm_90a|sm_100a");
  CHECK(targets_text({}).empty());
}

TEST_CASE("what satisfies two requirements satisfies both, for every target and pair") {
  const std::vector<std::string> groups = {"sm_75", "sm_90", "sm_90a", "sm_100f", "sm_90a|sm_100a|sm_120a", "sm_103a"};
  const std::vector<std::string> targets = {"sm_70",   "sm_80",   "sm_90",   "sm_90a",  "sm_100",
                                            "sm_100a", "sm_100f", "sm_103a", "sm_120a", "sm_121"};
  for (const auto& one : groups) {
    for (const auto& other : groups) {
      for (const auto& target : targets) {
        INFO(one << " and " << other << " on " << target);
        CHECK(has({one, other}, target) == (has({one}, target) && has({other}, target)));
      }
    }
  }
}

TEST_CASE("text that is not a target is rejected") {
  for (const char* text : {"", "sm_", "sm_9", "sm_90b", "90a", "sm_90a ", "sm_90aa"})
    CHECK_FALSE(target_from_name(text));
  Requirement unused;
  CHECK_FALSE(read_targets("sm_90a|", unused));
  CHECK(target_from_name("sm_90a")->name() == "sm_90a");
}
