// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"
#include "catch.h"
#include "memory/infer.h"
#include "memory/machine.h"
#include "simulated_cache.h"

using namespace ptxlat;
using namespace ptxlat::memory;
using namespace std::chrono_literals;

namespace {

std::string error_of(const std::string& command, std::chrono::milliseconds deadline = 10min) {
  try {
    Oracle oracle(command, deadline);
    oracle.prepare();
    oracle.access({{0, 64, 2}}, "ca", 0);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a machine in a separate program gives the same facts") {
  for (const std::uint64_t seed : {2, 5}) {
    std::mt19937_64 random(seed);
    SimulatedCache here(random_geometry(random), seed);
    Oracle there(PTXLAT_TEST_ORACLE " " + std::to_string(seed), 10min);
    CHECK(there.info().bytes == here.info().bytes);
    CHECK(there.info().operators == here.info().operators);
    const auto facts = memory::infer(there, 3);
    CHECK(facts == memory::infer(here, 3));
    CHECK_FALSE(facts.empty());
  }
}

TEST_CASE("a program that is not a machine is an error that says what it did") {
  using Catch::Matchers::Contains;
  CHECK_THAT(error_of("/nonexistent/oracle"), Contains("/nonexistent/oracle has ended"));
  CHECK_THAT(error_of("echo hello"), Contains("does not say what it is") && Contains("hello"));
  CHECK_THAT(error_of("sh -c \""
                      R"(echo '{\"kind\": \"cache\", \"space\": \"l1\", \"bytes\": 0}')"
                      "\""),
             Contains("a memory of no bytes"));
  CHECK_THAT(error_of("sleep 60", 100ms), Contains("has not answered for 0.1 s"));
  CHECK_THAT(error_of("sh -c '" + std::string("true") + "'"), Contains("has ended"));
}

TEST_CASE("an oracle that stops answering, or answers something else") {
  using Catch::Matchers::Contains;
  const auto script = [](const std::string& rest) {
    return "sh -c '" + std::string(R"(echo "{\"kind\": \"cache\", \"space\": \"l2\", \"bytes\": 4096}"; )") + rest +
           "'";
  };
  CHECK_THAT(error_of(script("read line")), Contains("has ended"));
  CHECK_THAT(error_of(script("read line; echo {}; read line; echo nonsense")),
             Contains("answers an access with nonsense"));
  CHECK_THAT(error_of(script("read line; echo {}; read line; sleep 60"), 100ms), Contains("has not answered"));
}

TEST_CASE("a kind of machine that is not known is an error") {
  struct Unknown : Machine {
    MachineInfo known{"abacus", "beads", 7, {}, 1, 1};
    const MachineInfo& info() const override { return known; }
    void prepare() override {}
    std::vector<double> access(const std::vector<Addresses>&, const std::string&, int) override { return {}; }
  } machine;
  try {
    memory::infer(machine, 1);
    FAIL("it inferred something");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::unknown_name);
    CHECK(std::string(error.what()) == "cannot infer machines of kind \"abacus\"");
    CHECK(error.advice == "Known kinds: banks, branch, cache, constant, l2, tlb.");
  }
}
