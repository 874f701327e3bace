// SPDX-License-Identifier: Apache-2.0
#include "skip.h"

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "catch.h"

namespace {

// The exit status of support/skipping_cases.cpp, running the cases that Catch's `tests` names.
int status_of(const std::string& tests) {
  const std::string command = std::string("'") + PTXLAT_TEST_SKIPPING + "' '" + tests + "' >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a file whose cases were all skipped ends with 4, which CTest reports as skipped") {
  CHECK(status_of("skips") == 4);
}

TEST_CASE("a skipped case next to one that passed is a success") {
  CHECK(status_of("passes") == 0);
  CHECK(status_of("passes,skips") == 0);
}

TEST_CASE("a failed check is a failure, whatever is skipped before, after or next to it") {
  CHECK(status_of("fails") == 1);
  CHECK(status_of("fails\\, then skips") == 1);
  CHECK(status_of("fails,skips") == 1);
  CHECK(status_of("prints skipped: and fails") == 1);
}

TEST_CASE("as many failures as the exit status for skipped has are failures") {
  CHECK(status_of("fails four times") == 1);
}
