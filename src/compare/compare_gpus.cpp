// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/quantile.h"
#include "compare/compare_write.h"
#include "tables/number.h"

namespace ptxlat::compare {

namespace {

constexpr double noise = 0.02;  // two surveys of one card differ by less (method.md)

// Where the instruction's work is done. What leaves the SM has a distribution of latencies over lines and SMs.
enum class Place { inside, beyond, issue_only };

Place place_of(const tables::Cell& a, const tables::Cell& b) {
  const auto has = [&](std::string_view tag) { return a.record.find(tag) && b.record.find(tag); };
  if (a.record.find(results::metric::median) || b.record.find(results::metric::median)) return Place::beyond;
  return has(results::metric::cycles) ? Place::inside : Place::issue_only;
}

// "red.release" of "red.release.global.add.u32": an opcode with what says most about where it goes; a CUDA C function.
std::string family_of(const std::string& ptx) {
  const auto end = ptx.find_first_of(" (");
  const auto opcode = ptx.find('.');
  return ptx.substr(0, std::min(end, opcode == std::string::npos ? opcode : ptx.find('.', opcode + 1)));
}

// Of the forms of one family that have a number on both sides.
struct OpcodeChange {
  std::string opcode;
  std::vector<double> a, b, ratios;
  std::size_t differ = 0;

  double median_ratio() const { return ratios.empty() ? 1 : median_of(ratios); }
};

struct PlaceChange {
  std::size_t cells = 0, differ = 0;
  std::map<std::string, OpcodeChange> opcodes;

  void add(const std::string& ptx, double a, double b) {
    ++cells;
    const auto name = family_of(ptx);
    auto& opcode = opcodes[name];
    opcode.opcode = name;
    opcode.a.push_back(a);
    opcode.b.push_back(b);
    if (a > 0 && b > 0) opcode.ratios.push_back(b / a);
    if (a == b) return;
    ++differ;
    ++opcode.differ;
  }

  // Those with different numbers, the largest change first.
  std::vector<const OpcodeChange*> by_change() const {
    std::vector<const OpcodeChange*> sorted;
    for (const auto& [name, opcode] : opcodes) {
      if (opcode.differ > 0) sorted.push_back(&opcode);
    }
    const auto size = [](const OpcodeChange* opcode) { return std::abs(std::log(opcode->median_ratio())); };
    std::stable_sort(sorted.begin(), sorted.end(), [&](const auto* x, const auto* y) { return size(x) > size(y); });
    return sorted;
  }
};

std::map<Place, PlaceChange> places_of(const Comparison& comparison) {
  std::map<Place, PlaceChange> places;
  for (const auto& row : comparison.rows) {
    if (row.a == nullptr || row.b == nullptr) continue;
    const auto place = place_of(*row.a, *row.b);
    const auto numbers =
        place == Place::issue_only ? numbers_of(row, results::metric::issue) : numbers_of(row, results::metric::cycles);
    if (numbers.a && numbers.b) places[place].add(row.a->record.ptx, *numbers.a, *numbers.b);
  }
  for (const auto* cell : comparison.unchanged) {
    const auto place = place_of(*cell, *cell);
    const auto number =
        cell->record.number(place == Place::issue_only ? results::metric::issue : results::metric::cycles);
    if (number) places[place].add(cell->record.ptx, *number, *number);
  }
  return places;
}

std::string names_of(const PlaceChange& place) {
  std::vector<std::string> names;
  for (const auto* opcode : place.by_change())
    names.push_back(fmt::format("{} of `{}`", opcode->differ, opcode->opcode));
  return names.empty() ? "" : fmt::format(": {}", fmt::join(names, ", "));
}

void write_beyond(tables::Page& page, const PlaceChange& beyond, const Comparison& comparison) {
  tables::Grid grid{{{"opcode"},
                     {"cells", true},
                     {comparison.a.label + ", median", true},
                     {comparison.b.label + ", median", true},
                     {"ratio per cell, median", true},
                     {"lowest", true},
                     {"highest", true}},
                    {}};
  std::vector<std::string> equal;
  for (const auto* opcode : beyond.by_change()) {
    if (std::abs(opcode->median_ratio() - 1) < noise) {
      equal.push_back(fmt::format("`{}`", opcode->opcode));
      continue;
    }
    const auto [least, most] = std::minmax_element(opcode->ratios.begin(), opcode->ratios.end());
    grid.rows.push_back({tables::code(opcode->opcode), std::to_string(opcode->a.size()),
                         fmt::format("{:.0f}", median_of(opcode->a)), fmt::format("{:.0f}", median_of(opcode->b)),
                         fmt::format("{:.2f}", opcode->median_ratio()), fmt::format("{:.2f}", *least),
                         fmt::format("{:.2f}", *most)});
  }
  if (!grid.rows.empty()) page.table(grid);
  if (!equal.empty())
    page.paragraph(
        {fmt::format("The median ratio is within {:.0f} % of 1 for {}.", 100 * noise, fmt::join(equal, ", "))});
}

}  // namespace

bool are_different_gpus(const Comparison& comparison) {
  const auto &a = comparison.a.table->run.device, &b = comparison.b.table->run.device;
  return a && b && a->name != b->name && comparison.a.table->run.toolchain == comparison.b.table->run.toolchain;
}

std::string places_summary(const Comparison& comparison) {
  auto places = places_of(comparison);
  const auto &inside = places[Place::inside], &beyond = places[Place::beyond];
  std::vector<std::string> changes;
  constexpr std::size_t most = 5;
  for (const auto* opcode : beyond.by_change()) {
    if (changes.size() == most || std::abs(opcode->median_ratio() - 1) < noise) break;
    changes.push_back(fmt::format("`{}` × {:.2f}", opcode->opcode, opcode->median_ratio()));
  }
  return fmt::format(
      "- **Inside the SM, {} of {} latencies are the same on {} and {}**; {} differ{}.\n"
      "- **Outside the SM, {} of {} latencies differ**{}{}{}.",
      inside.cells - inside.differ, inside.cells, comparison.a.label, comparison.b.label, inside.differ,
      names_of(inside), beyond.differ, beyond.cells,
      changes.empty() ? ", those of every opcode by less than 2 % at the median" : ", most of all ",
      fmt::join(changes, ", "), changes.empty() ? "" : "; most other opcodes differ by less than 2 % at the median");
}

void write_places(tables::Page& page, const Comparison& comparison) {
  auto places = places_of(comparison);
  const auto& inside = places[Place::inside];
  page.heading(3, {"Inside the SM"});
  page.paragraph({fmt::format("{} cells have a latency on both GPUs; {} differ{}.", inside.cells, inside.differ,
                              names_of(inside))});
  const auto& beyond = places[Place::beyond];
  page.heading(3, {"Outside the SM"});
  page.paragraph({fmt::format(
      "{} cells have a latency on both GPUs. Each is the median of a distribution over lines and SMs.", beyond.cells)});
  write_beyond(page, beyond, comparison);
  const auto& issue = places[Place::issue_only];
  page.heading(3, {"Cells that only have an issue cost"});
  page.paragraph({fmt::format(
      "{} cells, since nothing can depend on their instruction; {} differ. A fence or a reduction waits for "
      "something outside the SM.",
      issue.cells, issue.differ)});
  write_beyond(page, issue, comparison);
}

}  // namespace ptxlat::compare
