// SPDX-License-Identifier: Apache-2.0
#include "tables/alike_opcodes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "sass/opcodes.h"
#include "tables/opcode_columns.h"

namespace ptxlat::tables {

namespace {

using results::Opcode;

bool are_near(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::abs(*a - *b) <= same_throughput * std::max(std::abs(*a), std::abs(*b));
}

// The shares of pipes that take turns differ by chance.
bool have_same_pipes(const std::vector<results::PipeShare>& a, const std::vector<results::PipeShare>& b) {
  const auto is_in = [](const auto& one, const auto& others) {
    return std::any_of(others.begin(), others.end(), [&](const auto& other) { return other.pipe == one.pipe; });
  };
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& one) { return is_in(one, b); });
}

// On the pipes on which both have a consumer.
bool have_near_latencies(const std::vector<results::PipeLatency>& a, const std::vector<results::PipeLatency>& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& one) {
    return std::all_of(b.begin(), b.end(),
                       [&](const auto& other) { return one.pipe != other.pipe || are_near(one.cycles, other.cycles); });
  });
}

bool are_alike(const Opcode& a, const Opcode& b) {
  return a.pipe == b.pipe && a.arrival == b.arrival && a.saturates_at == b.saturates_at && a.unit == b.unit &&
         are_near(a.throughput, b.throughput) && are_near(a.latency, b.latency) &&
         (a.counters.empty() || b.counters.empty() || have_same_pipes(a.counters, b.counters)) &&
         have_near_latencies(a.latencies, b.latencies) && (!a.hazard || !b.hazard || a.hazard == b.hazard);
}

}  // namespace

std::vector<std::vector<std::size_t>> alike_opcodes(const std::vector<Opcode>& opcodes) {
  std::map<std::string_view, std::vector<std::size_t>> families;
  for (std::size_t i = 0; i < opcodes.size(); ++i) families[sass::family_of(opcodes[i].name)].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [family, members] : families) {
    std::stable_sort(members.begin(), members.end(),
                     [&](auto x, auto y) { return opcodes[x].name.size() < opcodes[y].name.size(); });
    const auto first = groups.size();
    for (const auto member : members) {
      const auto found =
          std::find_if(groups.begin() + static_cast<std::ptrdiff_t>(first), groups.end(), [&](const auto& group) {
            return std::all_of(group.begin(), group.end(),
                               [&](auto other) { return are_alike(opcodes[other], opcodes[member]); });
          });
      if (found == groups.end()) {
        groups.push_back({member});
      } else {
        found->push_back(member);
      }
    }
  }
  std::sort(groups.begin(), groups.end(), [](const auto& x, const auto& y) { return x.front() < y.front(); });
  return groups;
}

}  // namespace ptxlat::tables
