// SPDX-License-Identifier: Apache-2.0
#include "results/opcode.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "base/named_values.h"

namespace ptxlat::results {

namespace {

double with_two_digits(double value) {
  constexpr double digits = 100;
  return std::round(value * digits) / digits + 0.0;  // never -0
}

}  // namespace

namespace {

// "name:number" for each word; without a number it is 1.
template <class Named>
std::vector<Named> named_numbers(const std::string& text) {
  std::vector<Named> found;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto colon = std::min(word.find(':'), word.size());
    double number = 1;
    if (colon < word.size()) {
      const auto* const end = word.data() + word.size();
      const auto [read, error] = std::from_chars(word.data() + colon + 1, end, number);
      if (error != std::errc() || read != end || !std::isfinite(number))
        throw std::invalid_argument("not a number: " + word.substr(colon + 1));
    }
    found.push_back({word.substr(0, colon), number});
  }
  return found;
}

}  // namespace

std::vector<PipeShare> shares_in(const std::string& text) { return named_numbers<PipeShare>(text); }
std::vector<OperandCost> costs_in(const std::string& text) { return named_numbers<OperandCost>(text); }
std::vector<PipeLatency> latencies_in(const std::string& text) { return named_numbers<PipeLatency>(text); }

namespace {

constexpr NamedValues<Arrival, 3> arrival_names = {
    {{Arrival::none, ""}, {Arrival::fixed, "fixed"}, {Arrival::scoreboard, "scoreboard"}}};
constexpr NamedValues<Held, 2> held_names = {{{Held::scoreboard, "scoreboard"}, {Held::interlock, "interlock"}}};

}  // namespace

const char* to_string(Arrival arrival) { return name_in(arrival_names, arrival); }
std::optional<Arrival> arrival_from(const std::string& text) { return value_in(arrival_names, text); }
const char* to_string(Held held) { return name_in(held_names, held); }
std::optional<Held> held_from(const std::string& text) { return value_in(held_names, text); }

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
