// SPDX-License-Identifier: Apache-2.0

// What skip() must not hide. Run by skip_test.cpp, one case or a few at a time; most of them fail.
#include "catch.h"

TEST_CASE("passes") { CHECK(true); }

TEST_CASE("fails") { CHECK(false); }

TEST_CASE("skips") { ptxlat::skip("nothing is missing"); }

TEST_CASE("fails, then skips") {
  CHECK(false);
  ptxlat::skip("nothing is missing");
}

TEST_CASE("fails four times") {
  // As many as the exit status for "skipped".
  for (int i = 0; i < 4; ++i) CHECK(i < 0);
}

TEST_CASE("prints skipped: and fails") {
  WARN("skipped: as a warning");
  CHECK(false);
}
