// SPDX-License-Identifier: Apache-2.0
#include "results/opcode.h"

#include <fmt/format.h>

#include <cmath>

namespace ptxlat::results {

namespace {

double with_two_digits(double value) {
  constexpr double digits = 100;
  return std::round(value * digits) / digits + 0.0;  // never -0
}

}  // namespace

std::string text_of(const std::vector<OperandCost>& costs) {
  std::string text;
  for (const auto& [operand, cycles] : costs)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", operand, with_two_digits(cycles));
  return text;
}

std::string text_of(const std::vector<PipeLatency>& latencies) {
  std::string text;
  for (const auto& [pipe, cycles] : latencies)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", pipe, with_two_digits(cycles));
  return text;
}

const char* to_string(Arrival arrival) {
  switch (arrival) {
    case Arrival::fixed:
      return "fixed";
    case Arrival::scoreboard:
      return "scoreboard";
    case Arrival::none:
      break;
  }
  return "";
}

std::string text_of(const std::vector<PipeShare>& shares) {
  std::string text;
  for (const auto& [pipe, share] : shares) {
    const double rounded = with_two_digits(share);
    text += fmt::format("{}{}", text.empty() ? "" : " ", pipe);
    if (rounded != 1) text += fmt::format(":{}", rounded);
  }
  return text;
}

}  // namespace ptxlat::results
