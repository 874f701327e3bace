// SPDX-License-Identifier: Apache-2.0
#include "base/expression.h"

#include <stdexcept>

#include "catch.h"

using namespace ptxlat;
using Catch::Matchers::Contains;

namespace {

std::int64_t value_of(const char* expression) { return evaluate(expression, {{"warps", 3}, {"_a1", 5}}); }

// What is wrong with an expression.
std::string mistake_in(const char* expression) {
  try {
    value_of(expression);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("products come before sums, parentheses before both, and the rest from left to right") {
  CHECK(value_of("1 + 2 * 3") == 7);
  CHECK(value_of("(1 + 2) * 3") == 9);
  CHECK(value_of("10 - 4 - 3") == 3);
  CHECK(value_of("100 / 10 / 5") == 2);
  CHECK(value_of("100 / 10 * 5") == 50);
  CHECK(value_of("7 / 2") == 3);
  CHECK(value_of("2 * (3 + (4 - 1)) - 0 - 1") == 11);
}

TEST_CASE("names stand for their values, with or without spaces around them") {
  CHECK(value_of("32*warps") == 96);
  CHECK(value_of("  _a1 - warps ") == 2);
}

TEST_CASE("a number may have a unit of bytes") {
  CHECK(value_of("4 KiB") == 4096);
  CHECK(value_of("4KiB") == 4096);
  CHECK(value_of("2 MiB / 1 KiB") == 2048);
  CHECK(value_of("3 GiB") == std::int64_t{3} << 30);
  CHECK(value_of("(1 + 1) * 2 KiB + warps") == 4099);
}

TEST_CASE("min and max of any two expressions, also nested") {
  CHECK(value_of("min(2, 3)") == 2);
  CHECK(value_of("max(2, 3)") == 3);
  CHECK(value_of("2 * max( warps * 2 , 4 KiB / 1 KiB ) + 1") == 13);
  CHECK(value_of("min(max(1, _a1), (4))") == 4);
  CHECK(value_of("max(0 - 1, 0)") == 0);
  INFO("without parentheses they are names like others");
  CHECK(evaluate("min + 1", {{"min", 5}}) == 6);
  CHECK_THAT(mistake_in("min"), Contains("unknown name \"min\""));
  CHECK_THAT(mistake_in("min(1)"), Contains("no second argument"));
  CHECK_THAT(mistake_in("max(1, 2"), Contains("no closing parenthesis"));
  CHECK_THAT(mistake_in("max(1, 2, 3)"), Contains("no closing parenthesis"));
  CHECK_THAT(mistake_in("mean(1, 2)"), Contains("unknown name \"mean\""));
}

TEST_CASE("an unreadable expression is reported with what is wrong") {
  CHECK(mistake_in("32 * warp") == "unknown name \"warp\" in \"32 * warp\"");
  CHECK_THAT(mistake_in("1 / (warps - 3)"), Contains("division by zero"));
  CHECK_THAT(mistake_in("(1 + 2"), Contains("no closing parenthesis"));
  CHECK_THAT(mistake_in("1 2"), Contains("unexpected \"2\""));
  CHECK_THAT(mistake_in("1 + 2)"), Contains("unexpected \")\""));
  CHECK_THAT(mistake_in("4KB"), Contains("unknown unit \"KB\""));
  CHECK_THAT(mistake_in("99999999999999999999"), Contains("not a number"));
  for (const char* incomplete : {"", " ", "1 +", "* 2", "()", "3 - -2", "%"})
    CHECK_THAT(mistake_in(incomplete), Contains("a number or a name is missing"));
}

TEST_CASE("real numbers are divided without a remainder and must stay finite") {
  CHECK(evaluate_real("7 / 2 + bytes / 1 KiB", {{"bytes", 512}}) == 4.0);
  CHECK(evaluate_real("a - min(b, 3)", {{"a", 23.5}, {"b", 2.25}}) == 21.25);
  CHECK_THROWS_WITH(evaluate_real("a / (b - b)", {{"a", 1}, {"b", 2.5}}), Contains("division by zero"));
  CHECK_THROWS_WITH(evaluate_real("a * a", {{"a", 1e300}}), Contains("too large"));
}
