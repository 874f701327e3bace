// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "base/error.h"
#include "cache_facts.h"
#include "catch.h"
#include "memory/machine.h"

using namespace ptxlat;
using namespace ptxlat::memory;
using Catch::Matchers::Contains;

namespace {

std::string logged(std::uint64_t seed, std::vector<results::Fact>& facts) {
  CacheGeometry cache;
  SimulatedCache machine(cache, 1);
  std::ostringstream log;
  LoggedMachine both(machine, log);
  facts = memory::infer(both, seed);
  return log.str();
}

std::vector<results::Fact> replayed(const std::string& text, std::uint64_t seed) {
  std::istringstream log(text);
  ReplayedMachine machine(log);
  return memory::infer(machine, seed);
}

std::string words_of(const std::string& text, std::uint64_t seed = 1) {
  try {
    replayed(text, seed);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a log gives the facts again without the machine") {
  std::vector<results::Fact> facts;
  const auto log = logged(1, facts);
  CHECK(replayed(log, 1) == facts);
  CHECK(facts.size() > 5);
}

TEST_CASE("a machine that allowed too few accesses is replayed to the same end") {
  struct FewAccesses : SimulatedCache {
    using SimulatedCache::SimulatedCache;
    MachineInfo known{SimulatedCache::info()};
    const MachineInfo& info() const override { return known; }
  } machine({}, 1);
  machine.known.most_accesses = 6;
  std::ostringstream log;
  LoggedMachine both(machine, log);
  const auto facts = memory::infer(both, 1);
  CHECK(replayed(log.str(), 1) == facts);
  CHECK(facts.back().verdict == results::FactVerdict::undetermined);
}

TEST_CASE("a log of a different seed, a truncated one and something else are errors") {
  std::vector<results::Fact> facts;
  const auto log = logged(1, facts);
  CHECK_THAT(words_of(log, 2), Contains("the inference asks"));
  CHECK_THAT(words_of(log.substr(0, log.size() / 2)), Contains("the log"));
  CHECK_THAT(words_of(""), Contains("the log ends"));
  CHECK_THAT(words_of("hello\n"), Contains("not a log of a machine"));
}
