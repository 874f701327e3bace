// SPDX-License-Identifier: Apache-2.0
#include "isa/value.h"

#include <cmath>

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::isa;

namespace {

std::uint64_t bits(const std::string& text, const std::string& type, int lane = 0) {
  std::string problem;
  const auto value = parse_value(text, *find_type(type), problem);
  INFO(problem);
  REQUIRE(value);
  return lane_bits(*value, type, lane);
}

std::string problem_of(const std::string& text, const std::string& type) {
  std::string problem;
  CHECK_FALSE(parse_value(text, *find_type(type), problem));
  return problem;
}

}  // namespace

TEST_CASE("a spread is linear over the lanes and ends where it says") {
  CHECK(bits("100 .. 131", "u32", 0) == 100);
  CHECK(bits("100 .. 131", "u32", 7) == 107);
  CHECK(bits("100 .. 131", "u32", 31) == 131);
  CHECK(bits("31 .. 0", "u32", 30) == 1);
  CHECK(bits("0 .. 0xffffffffffffffff", "u64", 31) == 0xffffffffffffffff);
  CHECK(bits("1.0 .. 2.0", "f64", 31) == 0x4000000000000000);
}

TEST_CASE("negative numbers are two's complement in the width of their type") {
  CHECK(bits("-1", "s8") == 0xff);
  CHECK(bits("-1", "s32") == 0xffffffff);
  CHECK(bits("-1", "s64") == 0xffffffffffffffff);
  CHECK(bits("-31 .. 0", "s16", 30) == 0xffff);
}

TEST_CASE("floats are rounded to nearest, ties to even, straight into their format") {
  CHECK(bits("1.0", "f32") == 0x3f800000);
  CHECK(bits("0.1", "f32") == 0x3dcccccd);
  CHECK(bits("1.0", "f16") == 0x3c00);
  CHECK(bits("1.00048828125", "f16") == 0x3c00);  // halfway to the next: to even, down
  CHECK(bits("1.00146484375", "f16") == 0x3c02);  // halfway: to even, up
  CHECK(bits("65504", "f16") == 0x7bff);
  CHECK(bits("-2", "f16") == 0xc000);
  CHECK(bits("1.0", "bf16") == 0x3f80);
  CHECK(bits("3.0e38", "bf16") == 0x7f62);
}

TEST_CASE("denormal numbers survive") {
  CHECK(bits("1e-40", "f32") == 0x000116c2);
  CHECK(bits("5.9604644775390625e-8", "f16") == 0x0001);
  CHECK(bits("6.097e-5", "f16") == 0x03ff);
  CHECK(bits("1e-310", "f64") == 0x000012688b70e62b);
}

TEST_CASE("half and bfloat agree with a slow search over all their values") {
  for (const double number : {1.1, 0.333333, 7.77e-6, 1234.5, 3.1e-8, 60000.0}) {
    const std::uint64_t found = round_to_format(number, 5, 10);
    double nearest = INFINITY;
    std::uint64_t expected = 0;
    for (std::uint64_t candidate = 0; candidate < 0x7c00; ++candidate) {
      const int exponent = static_cast<int>(candidate >> 10);
      const double mantissa = static_cast<double>(candidate & 0x3ff);
      const double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
      if (std::fabs(value - number) < nearest) {
        nearest = std::fabs(value - number);
        expected = candidate;
      }
    }
    CHECK(found == expected);
  }
}

TEST_CASE("packed types take the value in both halves") {
  CHECK(bits("1.5", "f16x2") == 0x3e003e00);
  CHECK(bits("1.5", "bf16x2") == 0x3fc03fc0);
  CHECK(bits("-1", "s16x2") == 0xffffffff);
  CHECK(bits("1.0", "f32x2") == 0x3f8000003f800000);
}

TEST_CASE("PTX's bit literals are taken as they are") {
  CHECK(bits("0f7F800000", "f32") == 0x7f800000);
  CHECK(bits("0d7FF0000000000000", "f64") == 0x7ff0000000000000);
  CHECK(bits("0x3f", "b32") == 0x3f);
}

TEST_CASE("a float that the compiler knows becomes the literal of its exact bits") {
  std::string problem;
  CHECK(parse_value("= 8.0", *find_type("f32"), problem)->first == "0f41000000");
  CHECK(parse_value("= 8", *find_type("f64"), problem)->first == "0d4020000000000000");
  CHECK(parse_value("= 8", *find_type("u32"), problem)->first == "8");
  CHECK(parse_value("8", *find_type("imm"), problem)->is_known_to_compiler);
}

TEST_CASE("a uniform value is one that the compiler knows to be the same in all lanes, but not which it is") {
  std::string problem;
  const auto value = parse_value("uniform 65536", *find_type("b64"), problem);
  REQUIRE(value);
  CHECK((value->is_uniform && !value->is_known_to_compiler && value->first == "65536" && value->last == "65536"));
  CHECK_FALSE(parse_value("65536", *find_type("b64"), problem)->is_uniform);
  CHECK(problem_of("uniform 1 .. 2", "u32") ==
        "\"uniform 1 .. 2\": a value that the compiler knows is the same in every lane");
  CHECK(problem_of("uniform 1", "pred") == "\"uniform 1\": a uniform value needs a register of 16, 32 or 64 bits");
}

TEST_CASE("predicates are 0 or 1 and divide the warp") {
  CHECK(bits("0 .. 1", "pred", 0) == 0);
  CHECK(bits("0 .. 1", "pred", 31) == 1);
  CHECK(problem_of("2", "pred") == "2 does not fit pred");
}

TEST_CASE("a value that a type cannot represent is rejected") {
  CHECK(problem_of("256", "u8") == "256 does not fit u8");
  CHECK(problem_of("-1", "u8") == "-1 does not fit u8");
  CHECK(problem_of("-129", "s8") == "-129 does not fit s8");
  CHECK(problem_of("1e6", "f16") == "1e6 is too large for f16");
  CHECK(problem_of("1e-60", "f32") == "1e-60 is too small for f32: it becomes zero");
  CHECK(problem_of("eight", "f32") == "\"eight\" is not a floating-point number, which f32 needs");
  CHECK(problem_of("", "u32") == "\"\" is not an integer, which u32 needs");
  CHECK(problem_of("= 1.0", "f16") == "\"= 1.0\": PTX has no literal of type f16");
}

TEST_CASE("registers are as wide as PTX makes them") {
  CHECK(register_bits("pred") == 1);
  CHECK(register_bits("u8") == 16);
  CHECK(register_bits("bf16x2") == 32);
  CHECK(register_bits("tf32") == 32);
  CHECK(register_bits("f64") == 64);
  CHECK(register_bits("imm") == 0);
  CHECK(register_bits("carry") == 0);
}
