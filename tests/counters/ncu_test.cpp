// SPDX-License-Identifier: Apache-2.0

// What Nsight Compute writes.
#include "counters/ncu.h"

#include "catch.h"

using namespace ptxlat::counters;

namespace {

constexpr char names[] =
    "\"ID\",\"Kernel Name\",\"sm__inst_executed_pipe_xu.sum\",\"sm__inst_executed.sum\","
    "\"sm__inst_executed_pipe_alu.sum\"\n";
constexpr char units[] = "\"\",\"\",\"inst\",\"inst\",\"inst\"\n";

std::string why_not(const std::string& output, const std::vector<std::string>& pipes) {
  try {
    counts_in(output, pipes);
  } catch (const Unavailable& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("counts are found by the names of their columns, below ncu's own messages and the units") {
  const std::string output = std::string("==PROF== Connected to process 7 (ptxlat)\n==PROF== Profiling \"k0\"\n") +
                             names + units + "\"0\",\"k0(int, char)\",\"12\",\"1,024\",\"0\"\r\n" +
                             "\"1\",\"k1\",\"0\",\"28672\",\"28,672.00\"\n==WARNING== Something\n";
  const auto counts = counts_in(output, {"alu", "xu"});
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].executed == 1024);
  CHECK(counts[0].on_pipes == std::vector<double>{0, 12});
  CHECK(counts[1].executed == 28672);
  CHECK(counts[1].on_pipes == std::vector<double>{28672, 0});
}

TEST_CASE("output of ncu without kernels has no counts, and one without a counter or a number says so") {
  CHECK(counts_in("", {"alu"}).empty());
  CHECK(counts_in("==WARNING== No kernels were profiled.\n", {"alu"}).empty());
  CHECK(counts_in(std::string(names) + units, {"alu"}).empty());
  CHECK(why_not(std::string(names) + units, {"alu", "fp64"}) == "ncu did not count sm__inst_executed_pipe_fp64");
  CHECK(why_not(std::string(names) + units + "\"0\",\"k0\",\"n/a\",\"1\",\"1\"\n", {"alu", "xu"}) ==
        "ncu counted \"n/a\", which is not a number");
}
