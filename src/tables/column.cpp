// SPDX-License-Identifier: Apache-2.0
#include "tables/column.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "results/opcode.h"

namespace ptxlat::tables {

namespace {

// "fmaheavy fmalite" of "fmaheavy:0.5 fmalite:0.5": the shares of pipes that take turns differ by chance.
std::set<std::string> pipes_in(const std::string& text) {
  std::set<std::string> pipes;
  for (const auto& share : results::shares_in(text)) pipes.insert(share.pipe);
  return pipes;
}

}  // namespace

bool are_same(Same rule, const std::string& a, const std::string& b) {
  if (rule == Same::in_pipes) return pipes_in(a) == pipes_in(b);
  const auto x = number_in(a), y = number_in(b);
  if (rule != Same::within_1_percent || !x || !y) return a == b;
  return std::abs(*x - *y) <= same_throughput * std::max(std::abs(*x), std::abs(*y));
}

const char* to_string(Same rule) {
  switch (rule) {
    case Same::exactly:
      return "exactly";
    case Same::within_1_percent:
      return "within 1 %";
    case Same::in_pipes:
      return "in pipes";
    case Same::not_compared:
      break;
  }
  return "";
}

namespace {

template <class Value>
void read_named(Value& value, std::optional<Value> known, const char* kind, const Field& field) {
  if (!known) field.fail(fmt::format("unknown {}: {}", kind, field.text));
  value = *known;
}

}  // namespace

void read_field(sass::Verdict& value, const Field& field) {
  read_named(value, sass::verdict_from(field.text), "verdict", field);
}
void read_field(results::Arrival& value, const Field& field) {
  read_named(value, results::arrival_from(field.text), "arrival", field);
}
void read_field(results::Held& value, const Field& field) {
  read_named(value, results::held_from(field.text), "hold", field);
}

std::string heading_of(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace ptxlat::tables
