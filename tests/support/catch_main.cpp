// SPDX-License-Identifier: Apache-2.0

// main() of every test program. Exit status: 0, 1 for any failure, 4 if every case that ran was skipped. Catch's own
// would be the number of failed checks, and four of them would read as skipped.
#ifndef PTXLAT_CATCH3
#define CATCH_CONFIG_RUNNER
#endif
#include <cstdlib>
#include <iostream>

#include "catch.h"
#include "skip.h"

namespace {

struct Tally {
  std::size_t cases = 0;
  std::size_t skipped_cases = 0;
  bool failed = false;
  bool in_skipped_case = false;
};

Tally tally;

#ifdef PTXLAT_CATCH3
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

struct TallyListener : Listener {
  using Listener::Listener;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    Listener::testCaseStarting(info);
    tally.in_skipped_case = false;
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    Listener::testCaseEnded(stats);
    ++tally.cases;
    if (stats.totals.assertions.failed > 0 || stats.totals.testCases.failed > 0) tally.failed = true;
    if (tally.in_skipped_case) ++tally.skipped_cases;
  }
};

CATCH_REGISTER_LISTENER(TallyListener)

}  // namespace

void ptxlat::skip(const std::string& reason) {
  std::cout << "skipped: " << reason << std::endl;
  tally.in_skipped_case = true;
  // What a failed REQUIRE throws once its failure is counted: it ends the case and counts nothing itself. SKIP of
  // Catch2 3.3 does as much, but 2.x has none.
  throw Catch::TestFailureException();
}

int main(int argc, char** argv) {
  // A busy machine must not make a test miss a deadline of the program's, in this process or in those that it starts.
  setenv("PTXLAT_DEADLINE_FACTOR", "4", /*overwrite=*/0);
  constexpr int some_failure = 1, all_skipped = 4;
  const int status = Catch::Session().run(argc, argv);
  if (tally.failed) return some_failure;
  if (status != 0) return status == all_skipped ? some_failure : status;
  return tally.cases > 0 && tally.skipped_cases == tally.cases ? all_skipped : 0;
}
