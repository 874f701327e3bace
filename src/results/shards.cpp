// SPDX-License-Identifier: Apache-2.0
#include "results/shards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

namespace ptxlat::results {

namespace {

std::optional<std::size_t> number_in(std::string_view digits) {
  std::size_t number = 0;
  const auto* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

bool is_complete(const Division& division) { return division.finished.size() == division.count; }

// By plan; each as often as it was divided differently.
std::map<std::string, std::vector<Division>> divisions_of(const std::vector<Run>& runs) {
  std::map<std::pair<std::string, std::size_t>, Division> divisions;
  for (const auto& run : runs) {
    const auto shard = run.shard.empty() ? Shard{} : shard_from(run.shard);
    if (run.plan.empty() || !shard) continue;
    auto& division = divisions[{run.plan, shard->count}];
    division.plan = run.plan;
    division.count = shard->count;
    (run.is_finished() ? division.finished : division.begun).insert(shard->number);
  }
  std::map<std::string, std::vector<Division>> by_plan;
  for (auto& [key, division] : divisions) {
    const auto& finished = division.finished;
    std::erase_if(division.begun, [&](std::size_t number) { return finished.contains(number); });
    by_plan[key.first].push_back(std::move(division));
  }
  return by_plan;
}

bool is_finished(const std::vector<Division>& divisions) {
  return std::any_of(divisions.begin(), divisions.end(), is_complete);
}

std::string part(const std::vector<std::size_t>& numbers, std::size_t count, const char* state) {
  const bool is_one = numbers.size() == 1;
  return fmt::format("{} {} of {} {} {}", is_one ? "shard" : "shards", fmt::join(numbers, ", "), count,
                     is_one ? "is" : "are", state);
}

}  // namespace

std::optional<Shard> shard_from(std::string_view text) {
  constexpr std::size_t most_shards = 100'000;
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto number = number_in(text.substr(0, slash)), count = number_in(text.substr(slash + 1));
  if (!number || !count || *number < 1 || *number > *count || *count > most_shards) return std::nullopt;
  return Shard{*number, *count};
}

std::string to_string(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.count); }

std::vector<Division> unfinished_plans(const std::vector<Run>& runs) {
  const auto newest = std::max_element(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tie(a.started_utc, a.id) < std::tie(b.started_utc, b.id);
  });
  std::vector<Run> current = runs;
  std::erase_if(current, [&](const Run& run) { return run.method != newest->method; });
  std::vector<Division> unfinished;
  for (const auto& [plan, divisions] : divisions_of(current)) {
    if (!is_finished(divisions)) unfinished.insert(unfinished.end(), divisions.begin(), divisions.end());
  }
  return unfinished;
}

std::string what_is_missing(const Division& division) {
  if (division.count == 1) return "its run did not finish";
  std::vector<std::size_t> missing;
  for (std::size_t number = 1; number <= division.count; ++number) {
    if (!division.finished.contains(number) && !division.begun.contains(number)) missing.push_back(number);
  }
  std::vector<std::string> parts;
  if (!missing.empty()) parts.push_back(part(missing, division.count, "missing"));
  if (!division.begun.empty())
    parts.push_back(part({division.begun.begin(), division.begun.end()}, division.count, "unfinished"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string shards_held(const std::vector<Run>& runs, const Run& run) {
  const auto shard = shard_from(run.shard);
  const auto plans = divisions_of(runs);
  const auto found = plans.find(run.plan);
  if (!shard || found == plans.end() || is_finished(found->second)) return {};
  const auto division = std::find_if(found->second.begin(), found->second.end(),
                                     [&](const Division& one) { return one.count == shard->count; });
  std::set<std::size_t> held = division->finished;
  held.insert(division->begun.begin(), division->begun.end());
  return fmt::format("{}/{}", fmt::join(held, ","), division->count);
}

}  // namespace ptxlat::results
