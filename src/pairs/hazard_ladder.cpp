// SPDX-License-Identifier: Apache-2.0
#include "pairs/hazard_ladder.h"

#include <fmt/format.h>

#include <algorithm>

#include "pairs/hazard_kernel.h"
#include "results/curve.h"
#include "results/note.h"

namespace ptxlat::pairs {

namespace {

constexpr const char* wrong_name = "wrong lanes: ";
constexpr const char* elapsed_name = "elapsed: ";
constexpr const char* shown_name = "consumer first: ";

// The distance after the last one: down to the first wrong value; or up to the first right one, if the ladder began
// with a wrong one. Empty at its end, which is `shortest` or what fits.
std::optional<int> next_distance(const HazardLadder& ladder, int shortest) {
  const bool goes_up = ladder.wrong.front() != 0;
  if ((ladder.wrong.back() != 0) != goes_up) return std::nullopt;
  const int next = ladder.distances.back() + (goes_up ? 1 : -1);
  return next >= shortest && next <= longest_distance ? std::optional(next) : std::nullopt;
}

}  // namespace

std::optional<int> lowest_right(const HazardLadder& ladder) {
  if (!ladder.problem.empty()) return std::nullopt;
  std::vector<std::pair<int, int>> steps;
  for (std::size_t i = 0; i < ladder.distances.size(); ++i) steps.emplace_back(ladder.distances[i], ladder.wrong[i]);
  std::sort(steps.rbegin(), steps.rend());
  std::optional<int> lowest;
  for (const auto& [distance, wrong] : steps) {
    if (wrong != 0) return lowest;
    lowest = distance;
  }
  return is_read(ladder.hazard) || ladder.shown == 0 ? std::nullopt : lowest;
}

bool is_too_early(const HazardLadder& ladder, std::optional<double> waited) {
  constexpr double least_share = 0.75;
  const auto lowest = lowest_right(ladder);
  return ladder.hazard == Hazard::unawaited_read && lowest && waited && *lowest < least_share * *waited;
}

bool is_settled(const std::vector<HazardLadder>& ladders, std::optional<double> waited) {
  return std::any_of(ladders.begin(), ladders.end(), [&](const auto& ladder) {
    const bool is_longer = ladder.problem.empty() && !ladder.wrong.empty() &&
                           std::all_of(ladder.wrong.begin(), ladder.wrong.end(), [](int lanes) { return lanes != 0; });
    return is_read(ladder.hazard) && (is_longer || (lowest_right(ladder) && !is_too_early(ladder, waited)));
  });
}

void put(results::Record& record, const HazardLadder& ladder) {
  const std::string name = to_string(ladder.hazard);
  if (!ladder.problem.empty()) results::add_note(record.note, fmt::format("{}: {}", name, ladder.problem));
  if (ladder.has_failed) record.add_flag(results::flag::retry);
  if (ladder.distances.empty()) return;
  results::Series wrong{wrong_name + name, "lanes", {{"distance", "cycles", {}}}, {}};
  wrong.axes.front().values.assign(ladder.distances.begin(), ladder.distances.end());
  auto elapsed = wrong;
  elapsed.name = elapsed_name + name;
  elapsed.unit = "cycles";
  for (const int lanes : ladder.wrong) wrong.values.emplace_back(lanes);
  elapsed.values = ladder.elapsed;
  record.series.push_back(std::move(wrong));
  record.series.push_back(std::move(elapsed));
  if (!is_read(ladder.hazard))
    record.series.push_back({shown_name + name, "lanes", {{"distance", "cycles", {1}}}, {ladder.shown}});
}

std::vector<HazardLadder> ladders_of(const results::Record& record) {
  std::vector<HazardLadder> ladders;
  for (const auto hazard : all_hazards) {
    const auto series_of = [&](const std::string& name) {
      return std::find_if(record.series.begin(), record.series.end(),
                          [&](const auto& series) { return series.name == name + to_string(hazard); });
    };
    const auto wrong = series_of(wrong_name), elapsed = series_of(elapsed_name), shown = series_of(shown_name);
    if (wrong == record.series.end() || elapsed == record.series.end()) continue;
    if (!results::is_curve(*wrong) || elapsed->values.size() != wrong->values.size()) continue;
    const bool has_shown = shown != record.series.end() && !shown->values.empty();
    if (!has_shown && !is_read(hazard)) continue;
    HazardLadder ladder;
    ladder.hazard = hazard;
    for (const double distance : wrong->axes.front().values) ladder.distances.push_back(static_cast<int>(distance));
    for (const auto& value : wrong->values) ladder.wrong.push_back(static_cast<int>(value.value_or(0)));
    ladder.elapsed = elapsed->values;
    if (has_shown) ladder.shown = static_cast<int>(shown->values.front().value_or(0));
    ladders.push_back(std::move(ladder));
  }
  return ladders;
}

HazardLadder climb(Hazard hazard, int start, Fault fault, const RunHazard& run, int shortest) {
  HazardLadder ladder;
  ladder.hazard = hazard;
  const auto is_done = [&](const ptx::LaunchOutcome& outcome) {
    if (outcome.status == ptx::LaunchStatus::ok && outcome.readout.words_per_thread != 0) return true;
    const bool is_hung = outcome.status == ptx::LaunchStatus::timeout;
    ladder.problem = fmt::format("a launch failed: {}", is_hung ? "it hung" : outcome.message);
    ladder.has_failed = true;
    return false;
  };
  const bool reads = is_read(hazard);
  const bool fault_shows = reads && fault == Fault::old_address;
  const auto right = run(reads ? Hazard::read_after_write : hazard, Arrangement::pair, longest_distance);
  if (!is_done(right)) return ladder;
  if (wrong_lanes(right.readout, right.readout) != 0) {
    ladder.problem = "its values change from launch to launch";
    return ladder;
  }
  if (!reads) {
    const auto first = run(hazard, Arrangement::consumer_first, longest_distance);
    if (!is_done(first)) return ladder;
    ladder.shown = wrong_lanes(first.readout, right.readout);
  }
  // Down to the first wrong value, step by step: what is right at the shortest distance may be wrong in between.
  for (std::optional distance = std::max(start, shortest); distance; distance = next_distance(ladder, shortest)) {
    const auto outcome = run(hazard, Arrangement::pair, *distance);
    if (fault_shows && outcome.status == ptx::LaunchStatus::fault) {
      ladder.distances.push_back(*distance);
      ladder.wrong.push_back(lanes_that_count(right.readout));
      ladder.elapsed.emplace_back();
      break;
    }
    if (!is_done(outcome)) return ladder;
    ladder.distances.push_back(*distance);
    ladder.wrong.push_back(wrong_lanes(outcome.readout, right.readout));
    ladder.elapsed.emplace_back(elapsed_of_hazard(outcome.readout));
  }
  const bool was_wrong = std::any_of(ladder.wrong.begin(), ladder.wrong.end(), [](int lanes) { return lanes != 0; });
  const bool is_seen = was_wrong || (!reads && ladder.shown != 0);
  if (!is_seen) ladder.problem = "no distance gives a wrong value: an old one may look the same";
  return ladder;
}

}  // namespace ptxlat::pairs
