// SPDX-License-Identifier: Apache-2.0
#include "isa/value.h"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

#include "isa/trimmed.h"

namespace ptxlat::isa {
namespace {

constexpr int last_lane = 31;

struct Integer {
  bool is_negative = false;
  std::uint64_t magnitude = 0;

  std::uint64_t twos_complement() const { return is_negative ? 0 - magnitude : magnitude; }
};

bool less(const Integer& x, const Integer& y) {
  if (x.is_negative != y.is_negative) return x.is_negative;
  return x.is_negative ? y.magnitude < x.magnitude : x.magnitude < y.magnitude;
}

template <class Number, class... Format>
bool parse_all(std::string_view digits, Number& number, Format... format) {
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number, format...);
  return error == std::errc{} && stop == end && !digits.empty();
}

std::optional<Integer> parse_integer(std::string_view literal) {
  Integer integer;
  if (literal.starts_with('-')) {
    integer.is_negative = true;
    literal.remove_prefix(1);
  }
  const bool is_hexadecimal = literal.starts_with("0x") || literal.starts_with("0X");
  if (is_hexadecimal) literal.remove_prefix(2);
  if (!parse_all(literal, integer.magnitude, is_hexadecimal ? 16 : 10)) return std::nullopt;
  if (integer.magnitude == 0) integer.is_negative = false;
  return integer;
}

// 0f3F800000 and 0d3FF0000000000000 are bits (PTX ISA 4.5.2); everything else is decimal.
std::optional<double> parse_float(std::string_view literal) {
  if (literal.size() == 10 && (literal.starts_with("0f") || literal.starts_with("0F"))) {
    std::uint32_t bits = 0;
    if (!parse_all(literal.substr(2), bits, 16)) return std::nullopt;
    return std::bit_cast<float>(bits);
  }
  if (literal.size() == 18 && (literal.starts_with("0d") || literal.starts_with("0D"))) {
    std::uint64_t bits = 0;
    if (!parse_all(literal.substr(2), bits, 16)) return std::nullopt;
    return std::bit_cast<double>(bits);
  }
  double number = 0;
  if (!parse_all(literal, number, std::chars_format::general) || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool fits(const Integer& integer, const TypeInfo& type) {
  const int bits = type.element_bits;
  const std::uint64_t all_ones = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  if (!integer.is_negative) return integer.magnitude <= all_ones;
  return type.encoding != Encoding::unsigned_integer && integer.magnitude <= all_ones / 2 + 1;
}

std::uint64_t encode_float(double number, const TypeInfo& type) {
  switch (type.encoding) {
    case Encoding::half:
      return round_to_format(number, 5, 10);
    case Encoding::bfloat:
      return round_to_format(number, 8, 7);
    case Encoding::single_float:
      return round_to_format(number, 8, 23);
    default:
      return std::bit_cast<std::uint64_t>(number);
  }
}

std::uint64_t without_sign(std::uint64_t element, const TypeInfo& type) { return element << (65 - type.element_bits); }

// Why `literal` cannot be an element of `type`; empty if it can.
std::string problem_with(const std::string& literal, const TypeInfo& type) {
  if (type.is_floating()) {
    const auto number = parse_float(literal);
    if (!number) return fmt::format("\"{}\" is not a floating-point number, which {} needs", literal, type.name);
    const std::uint64_t magnitude = without_sign(encode_float(*number, type), type);
    const std::uint64_t infinity = without_sign(encode_float(std::numeric_limits<double>::infinity(), type), type);
    if (std::isfinite(*number) && magnitude == infinity) {
      return fmt::format("{} is too large for {}", literal, type.name);
    }
    if (*number != 0 && magnitude == 0) {
      return fmt::format("{} is too small for {}: it becomes zero", literal, type.name);
    }
    return {};
  }
  const auto integer = parse_integer(literal);
  if (type.name == "imm") {
    if (integer || parse_float(literal)) return {};
    return fmt::format("\"{}\" is not a number", literal);
  }
  if (!integer) return fmt::format("\"{}\" is not an integer, which {} needs", literal, type.name);
  if (!fits(*integer, type)) return fmt::format("{} does not fit {}", literal, type.name);
  return {};
}

std::string exact_literal(const std::string& literal, const TypeInfo& type) {
  if (type.encoding == Encoding::single_float)
    return fmt::format("0f{:08X}", encode_float(*parse_float(literal), type));
  if (type.encoding == Encoding::double_float)
    return fmt::format("0d{:016X}", encode_float(*parse_float(literal), type));
  return literal;
}

std::uint64_t integer_in_lane(const Integer& first, const Integer& last, int lane) {
  const bool descends = less(last, first);
  const std::uint64_t span =
      descends ? first.twos_complement() - last.twos_complement() : last.twos_complement() - first.twos_complement();
  // span * lane / 31, rounded, without leaving 64 bits.
  const std::uint64_t distance = span / last_lane * lane + (span % last_lane * lane + last_lane / 2) / last_lane;
  return descends ? first.twos_complement() - distance : first.twos_complement() + distance;
}

double float_in_lane(double first, double last, int lane) { return first + (last - first) * lane / last_lane; }

}  // namespace

std::uint64_t round_to_format(double number, int exponent_bits, int mantissa_bits) {
  const std::uint64_t sign = std::uint64_t{std::signbit(number)} << (exponent_bits + mantissa_bits);
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  if (std::isnan(number)) return sign | infinity | (std::uint64_t{1} << (mantissa_bits - 1));
  if (std::isinf(number)) return sign | infinity;
  if (number == 0) return sign;

  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int smallest_normal = 1 - bias;
  const int exponent = std::max(std::ilogb(number), smallest_normal);
  const double scaled = std::nearbyint(std::ldexp(std::fabs(number), mantissa_bits - exponent));
  // The mantissa's leading bit adds one to the exponent field, and so does a carry out of rounding: a denormal that
  // rounds up becomes the smallest normal, and the largest normal becomes infinity, without a special case.
  const std::uint64_t field = static_cast<std::uint64_t>(exponent - smallest_normal) << mantissa_bits;
  return sign | std::min(field + static_cast<std::uint64_t>(scaled), infinity);
}

std::optional<Value> parse_value(const std::string& text, const TypeInfo& type, std::string& problem) {
  constexpr std::string_view uniform = "uniform ";
  std::string rest = trimmed(text);
  Value value;
  if (rest.starts_with('=')) {
    value.is_known_to_compiler = true;
    rest = trimmed(rest.substr(1));
  } else if (rest.starts_with(uniform)) {
    value.is_uniform = true;
    rest = trimmed(rest.substr(uniform.size()));
  }
  const auto dots = rest.find("..");
  value.first = trimmed(rest.substr(0, dots));
  value.last = dots == std::string::npos ? value.first : trimmed(rest.substr(dots + 2));

  if (type.name == "imm") value.is_known_to_compiler = true;
  if ((value.is_known_to_compiler || value.is_uniform) && value.first != value.last) {
    problem = fmt::format("\"{}\": a value that the compiler knows is the same in every lane", text);
    return std::nullopt;
  }
  if (value.is_uniform && (type.register_bits < 16 || type.register_bits > 64)) {
    problem = fmt::format("\"{}\": a uniform value needs a register of 16, 32 or 64 bits", text);
    return std::nullopt;
  }
  for (const std::string& literal : {value.first, value.last}) {
    problem = problem_with(literal, type);
    if (!problem.empty()) return std::nullopt;
  }
  if (!value.is_known_to_compiler) return value;
  if (type.encoding == Encoding::predicate || type.elements > 1 || type.encoding == Encoding::half ||
      type.encoding == Encoding::bfloat) {
    problem = fmt::format("\"{}\": PTX has no literal of type {}", text, type.name);
    return std::nullopt;
  }
  value.first = value.last = exact_literal(value.first, type);
  return value;
}

std::vector<std::uint64_t> bits_of_lanes(const Value& value, const std::string& type) {
  const TypeInfo* info = find_type(type);
  assert(info != nullptr);
  std::vector<std::uint64_t> bits;
  bits.reserve(last_lane + 1);
  const bool is_float_literal = info->name == "imm" && !parse_integer(value.first);
  if (is_float_literal || info->is_floating()) {
    const double first = *parse_float(value.first), last = *parse_float(value.last);
    const bool is_spread = value.first != value.last;
    for (int lane = 0; lane <= last_lane; ++lane) {
      const double number = is_spread ? float_in_lane(first, last, lane) : first;
      bits.push_back(is_float_literal ? std::bit_cast<std::uint64_t>(number) : encode_float(number, *info));
    }
    if (is_float_literal) return bits;
  } else {
    const Integer first = *parse_integer(value.first), last = *parse_integer(value.last);
    for (int lane = 0; lane <= last_lane; ++lane) bits.push_back(integer_in_lane(first, last, lane));
  }
  const bool is_packed = info->elements == 2 && info->element_bits < 64;
  for (auto& element : bits) {
    if (info->element_bits < 64) element &= (std::uint64_t{1} << info->element_bits) - 1;
    if (is_packed) element |= element << info->element_bits;
  }
  return bits;
}

std::uint64_t lane_bits(const Value& value, const std::string& type, int lane) {
  return bits_of_lanes(value, type).at(static_cast<std::size_t>(lane));
}

}  // namespace ptxlat::isa
