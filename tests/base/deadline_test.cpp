// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include "base/environment.h"
#include "base/error.h"
#include "catch.h"

using namespace ptxlat;

namespace {

struct Factor {
  explicit Factor(const char* factor) { ::setenv("PTXLAT_DEADLINE_FACTOR", factor, 1); }
  ~Factor() { ::unsetenv("PTXLAT_DEADLINE_FACTOR"); }
  Factor(const Factor&) = delete;  // would unset it twice
  Factor& operator=(const Factor&) = delete;
};

}  // namespace

TEST_CASE("the deadline factor is 1 unless it is set") {
  ::unsetenv("PTXLAT_DEADLINE_FACTOR");
  CHECK(deadline_factor() == 1);
  const Factor empty("");
  CHECK(deadline_factor() == 1);
}

TEST_CASE("deadlines are multiplied by the factor") {
  const Factor factor("2.5");
  CHECK(deadline_factor() == 2.5);
  CHECK(scaled_deadline(std::chrono::milliseconds(100)) == std::chrono::milliseconds(250));
}

TEST_CASE("a deadline factor that is not a number, or absurd, is the user's mistake") {
  for (const std::string absurd :
       {"x", "fast", "2x", " 2", "0", "0.009", "-1", "nan", "inf", "1001", "1e9", "1e308", "1e999"}) {
    const Factor factor(absurd.c_str());
    INFO(absurd);
    try {
      deadline_factor();
      FAIL("it was accepted");
    } catch (const Error& error) {
      CHECK(error.exit_code == ExitCode::usage);
      CHECK(error.what() == "PTXLAT_DEADLINE_FACTOR is \"" + absurd + "\"");
      CHECK(error.advice.find("from 0.01 to 1000") != std::string::npos);
    }
  }
}
