// SPDX-License-Identifier: Apache-2.0
#include "run/nearest_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/environment.h"
#include "base/error.h"
#include "pairs/learn_arrivals.h"
#include "sass/instruction.h"
#include "tables/find_tables.h"
#include "tables/folder.h"

namespace ptxlat::run {

namespace {

bool has_arrivals(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / tables::arrivals_name);
}

// What nine of ten estimates do not exceed (docs/method.md, "Estimates"). For the card's own architecture: 975 rows at
// -O3 by ptxas 13.0.88 against a second H200's cycles for the same machine code. For another: published measurements of
// Blackwell.
constexpr double own_error = 0.05, own_interlock_error = 0.15, foreign_error = 0.25;

line::NearestCard card_in(const std::filesystem::path& folder, const isa::Target& target) {
  const auto rows = tables::read_table(folder, {tables::Part::arrivals}).pairs.arrivals;
  if (rows.empty())
    throw Error(ExitCode::unknown_name, fmt::format("{} has no {}", folder.string(), tables::arrivals_name),
                fmt::format("`ptxlat pairs` writes it, or `ptxlat pairs --reread {}` without a GPU", folder.string()));
  const auto run = tables::read_table(folder, {tables::Part::run}).run;
  if (!run.device) throw Error(ExitCode::unknown_name, fmt::format("{} is not the table of a card", folder.string()));
  const bool is_own = run.device->sm == target.sm;
  return {run.table,
          pairs::arrivals_in(rows),
          is_own ? own_error : foreign_error,
          is_own ? own_interlock_error : foreign_error,
          folder,
          run.device->sm};
}

}  // namespace

std::filesystem::path shipped_tables() {
  return data_folder("tables", [](const std::filesystem::path& one) {
    return std::filesystem::exists(one / "LICENSE") && std::filesystem::is_directory(one);
  });
}

std::optional<line::NearestCard> nearest_card(const isa::Target& target) {
  if (sass::layout_of(target.sm) != sass::CodeLayout::volta) return std::nullopt;
  const auto tables = shipped_tables();
  if (tables.empty()) return std::nullopt;
  std::vector<std::filesystem::path> unreadable;
  std::optional<std::filesystem::path> nearest;
  int least = 0;
  for (const auto& folder : tables::find_tables(tables.string(), unreadable)) {
    if (!has_arrivals(folder)) continue;
    const auto run = tables::read_table(folder, {tables::Part::run}).run;
    if (!run.device) continue;
    const int distance = std::abs(run.device->sm - target.sm);
    if (nearest && distance >= least) continue;
    nearest = folder;
    least = distance;
  }
  return nearest ? std::optional(card_in(*nearest, target)) : std::nullopt;
}

std::optional<line::NearestCard> chosen_card(const std::string& folder, const isa::Target& target) {
  return folder.empty() ? nearest_card(target) : card_in(folder, target);
}

OpcodeRates::OpcodeRates(const line::NearestCard& card, const isa::Target& target) {
  if (card.sm != target.sm) return;
  for (auto& opcode : tables::read_table(card.folder, {tables::Part::opcodes}).opcodes.opcodes)
    opcodes_.emplace(opcode.name, std::move(opcode));
}

std::optional<PipeLimit> OpcodeRates::limit_of(const std::vector<std::string>& sass) const {
  std::map<std::string, double> busy;  // clocks for a thread's code
  for (const auto& name : sass) {
    const auto found = opcodes_.find(name);
    if (found == opcodes_.end() || !found->second.throughput || found->second.pipe.empty()) return std::nullopt;
    busy[found->second.pipe] += 1 / *found->second.throughput;
  }
  if (busy.empty()) return std::nullopt;
  const auto longest =
      std::max_element(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return PipeLimit{longest->first, 1 / longest->second};
}

}  // namespace ptxlat::run
