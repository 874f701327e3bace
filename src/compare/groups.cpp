// SPDX-License-Identifier: Apache-2.0
#include "compare/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tables/find_tables.h"

namespace ptxlat::compare {

namespace {

std::string gpu_of(const results::Run& run) { return run.device ? run.device->name : ""; }
std::string uuid_of(const results::Run& run) { return run.device ? run.device->uuid : ""; }

// GPU or architecture, toolchain, level.
std::vector<std::string> coordinates(const Side& side) {
  const results::Run& run = side.table->run;
  const std::string gpu = gpu_of(run);
  return {gpu.empty() ? fmt::format("{} {}", run.target, run.kind) : gpu, run.toolchain,
          side.level ? fmt::format("O{}", *side.level) : ""};
}

// The coordinates that are not the same everywhere.
std::vector<std::string> distinguishing(const std::vector<std::vector<std::string>>& sides) {
  std::vector<std::string> labels;
  for (const auto& side : sides) {
    std::string& text = labels.emplace_back();
    for (std::size_t i = 0; i < side.size(); ++i) {
      const bool differs =
          std::any_of(sides.begin(), sides.end(), [&](const auto& other) { return other[i] != sides.front()[i]; });
      if (differs && !side[i].empty()) text += (text.empty() ? "" : " ") + side[i];
    }
  }
  return labels;
}

bool all_differ(const std::vector<std::string>& labels) {
  const std::set<std::string> distinct(labels.begin(), labels.end());
  return distinct.size() == labels.size() && !distinct.contains("");
}

std::string order_of(By by, const results::Run& table) {
  if (by == By::toolchain) return table.toolchain;
  if (by == By::device) return uuid_of(table);
  return by == By::gpu ? table.target + " " + gpu_of(table) : table.started_utc;
}

// The subject of a table. An old assembler that knows sm_90 but not sm_90a was measured on the same card as the new
// one.
std::string subject_of(const results::Run& table) { return table.device ? table.device->name : table.target; }

// Equal for tables that may be compared with each other.
std::vector<std::string> group_of(By by, const results::Run& table, std::size_t index) {
  switch (by) {
    case By::toolchain:
      return {table.kind, subject_of(table)};
    case By::gpu:
      return {table.kind, table.toolchain};
    case By::device:
    case By::date:
      return {table.kind, subject_of(table), table.toolchain};
    case By::level:
      break;
  }
  return {fmt::format("{:08}", index)};
}

}  // namespace

std::vector<std::vector<std::size_t>> group_by(By by, const std::vector<results::Run>& tables) {
  std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < tables.size(); ++i) groups[group_of(by, tables[i], i)].push_back(i);
  std::vector<std::vector<std::size_t>> sorted;
  for (auto& [key, members] : groups) {
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return tables::natural_less(order_of(by, tables[a]), order_of(by, tables[b]));
    });
    sorted.push_back(std::move(members));
  }
  return sorted;
}

void label(std::vector<Side>& sides, By by) {
  std::vector<std::vector<std::string>> known;
  for (const Side& side : sides) known.push_back(coordinates(side));
  std::vector<std::string> labels = distinguishing(known);
  if (!all_differ(labels)) {
    for (std::size_t i = 0; i < sides.size(); ++i)
      known[i].push_back(by == By::device ? uuid_of(sides[i].table->run) : sides[i].table->run.started_utc);
    labels = distinguishing(known);
  }
  const bool are_enough = all_differ(labels);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::string level = sides[i].level ? fmt::format("@O{}", *sides[i].level) : "";
    sides[i].label = are_enough ? labels[i] : sides[i].folder + level;
  }
}

}  // namespace ptxlat::compare
