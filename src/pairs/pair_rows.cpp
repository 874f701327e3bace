// SPDX-License-Identifier: Apache-2.0
#include "pairs/pair_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "pairs/hazard_kernel.h"
#include "pairs/learn_arrivals.h"
#include "pairs/scheduled_pairs.h"
#include "results/note.h"

namespace ptxlat::pairs {

namespace {

// Opcodes some of whose results come under a scoreboard. Others of them are waited for with these: what the schedule
// leaves behind them says nothing.
std::set<std::string> waiting_opcodes(const std::vector<ScheduledPair>& pairs) {
  std::set<std::string> opcodes;
  for (const auto& pair : pairs) {
    if (pair.waits) opcodes.insert(pair.producer);
  }
  return opcodes;
}

struct Found {
  bool waits = false;
  std::optional<double> schedule, measured, hazard;
  std::string problem;      // why there is no hazard
  bool is_patched = false;  // and a patched window says so
  void give_up(std::string why) {
    problem = std::move(why);
    is_patched = true;
  }
};
using Key = std::tuple<std::string, std::string, std::string>;  // producer, consumer, slot

void keep_least(std::optional<double>& least, std::optional<double> value) {
  if (value && (!least || *value < *least)) least = value;
}

void add_schedule(const ScheduledPair& pair, std::map<Key, Found>& found) {
  auto& one = found[{pair.producer, pair.consumer, pair.slot}];
  one.waits = one.waits || pair.waits;
  if (!pair.waits) keep_least(one.schedule, pair.distance);
  keep_least(one.measured, pair.measured);
}

// Why a ladder has no lowest right distance.
std::string why_none(const HazardLadder& ladder) {
  const bool was_wrong = std::any_of(ladder.wrong.begin(), ladder.wrong.end(), [](int lanes) { return lanes != 0; });
  if (was_wrong && ladder.hazard == Hazard::unawaited_read)
    return fmt::format("without the wait it is wrong even after {} cycles", ladder.distances.back());
  if (was_wrong) return "wrong values at every distance that fits";
  return is_read(ladder.hazard) ? "no distance gives a wrong value: the hardware waits, or an old value looks the same"
                                : "neither order gives a wrong value";
}

//   in_window  the pairs of its window
void add_hazards(const results::Record& record, const std::vector<ScheduledPair>& in_window,
                 std::map<Key, Found>& found) {
  if (record.kind != results::RecordKind::hazard || record.windows.empty()) return;
  if (record.sass.size() != 2) {
    // The window could not be patched: none of its pairs was.
    for (const auto& pair : in_window) {
      const auto known = found.find({pair.producer, pair.consumer, pair.slot});
      if (known != found.end() && known->second.problem.empty())
        known->second.problem = fmt::format("no hazard: {}", record.note);
    }
    return;
  }
  std::string slot;
  for (const auto& pair : in_window) {
    const bool is_it = pair.producer == record.sass.front() && pair.consumer == record.sass.back();
    if (!is_it) continue;
    if (!slot.empty() && slot != pair.slot) return;  // two such pairs: which of them was patched is not known
    if (slot.empty()) add_schedule(pair, found);
    slot = pair.slot;
  }
  if (slot.empty()) return;  // ptxas made other code of it beside the places
  auto& read = found[{record.sass.front(), record.sass.back(), slot}];
  keep_least(read.measured, record.number(results::metric::differential));
  const auto ladders = ladders_of(record);
  if (ladders.empty() && !record.note.empty()) read.give_up(record.note);
  for (const auto& ladder : ladders) {
    const bool overwrites = ladder.hazard == Hazard::write_after_write || ladder.hazard == Hazard::write_after_read;
    const auto name = !overwrites ? slot : ladder.hazard == Hazard::write_after_write ? "waw" : "war";
    auto& one = overwrites ? found[{record.sass.front(), record.sass.back(), name}] : read;
    const auto lowest = lowest_right(ladder);
    if (!lowest) {
      one.give_up(why_none(ladder));
    } else if (is_too_early(ladder, record.number(results::metric::differential))) {
      one.give_up(
          fmt::format("right after {} cycles, long before the wait ends: an old value looks the same", *lowest));
    } else if (!one.hazard || *lowest > *one.hazard) {
      one.hazard = *lowest;
    }
  }
}

void judge(const Found& found, results::Pair& row) {
  if (is_overwriting(row)) {
    row.verdict = found.hazard ? "measured" : "undetermined";
    row.note = found.hazard ? "" : found.problem;
    if (row.slot == "waw" && found.hazard)
      row.note =
          *found.hazard == 1 ? "no hazard: the next instruction may write it" : "nearer, the first result remains";
  } else if (found.waits) {
    row.verdict = "waits";
    if (found.hazard) row.note = "the distance at which the value is right without waiting for the scoreboard";
    if (!found.hazard) row.note = found.problem;
  } else if (!found.hazard) {
    row.verdict = "scheduled";
    row.note = found.problem;
  } else if (!found.schedule || *found.schedule == *found.hazard) {
    row.verdict = "exact";
  } else {
    const double late = *found.schedule - *found.hazard;
    row.verdict = late > 0 ? "late" : "early";
    const double cycles = late > 0 ? late : -late;
    row.note = fmt::format("scheduled {} cycle{} {} than needed", cycles, cycles == 1 ? "" : "s",
                           late > 0 ? "later" : "earlier");
  }
}

void note_measured(results::Pair& row) {
  if (row.measured && row.schedule && *row.measured != *row.schedule)
    results::add_note(row.note,
                      fmt::format("it issues {} cycles after its producer, not {}", *row.measured, *row.schedule));
}

}  // namespace

Schedules schedules_of(const std::vector<results::Record>& latency, Refusals refusals) {
  Schedules schedules{scheduled_pairs(latency), learned_arrivals(latency), forms_of_opcodes(latency, refusals),
                      std::move(refusals)};
  auto& pairs = schedules.pairs;
  const auto fields = [](const ScheduledPair& pair) {
    return std::tie(pair.producer, pair.consumer, pair.slot, pair.distance, pair.waits, pair.measured);
  };
  std::sort(pairs.begin(), pairs.end(), [&](const auto& x, const auto& y) { return fields(x) < fields(y); });
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return schedules;
}

namespace {

// The pairs of each record's window.
std::vector<std::vector<ScheduledPair>> pairs_in_windows(const std::vector<results::Record>& hazards) {
  std::vector<std::vector<ScheduledPair>> in_windows(hazards.size());
  in_parallel(hazards.size(), [&](std::size_t i) {
    if (!hazards[i].windows.empty()) in_windows[i] = pairs_of(hazards[i].windows.front());
  });
  return in_windows;
}

}  // namespace

void mark_patched(std::vector<results::Pair>& rows, const std::vector<results::Record>& hazards) {
  const auto in_windows = pairs_in_windows(hazards);
  std::map<Key, Found> all;
  for (std::size_t i = 0; i < hazards.size(); ++i) add_hazards(hazards[i], in_windows[i], all);
  // By the first operand of a slot: a table may have `b` where today's code has `b+c`, for a pair of registers.
  const auto first_of = [](const std::string& slot) { return slot.substr(0, slot.find('+')); };
  std::set<Key> patched;
  for (const auto& [key, found] : all) {
    const auto& [producer, consumer, slot] = key;
    if (found.is_patched) patched.emplace(producer, consumer, first_of(slot));
  }
  for (auto& row : rows) row.is_patched = patched.contains({row.producer, row.consumer, first_of(row.slot)});
}

std::vector<results::Pair> pair_rows(const Schedules& schedules, const std::vector<results::Record>& hazards) {
  std::map<Key, Found> all;
  auto scheduled = schedules.pairs;
  for (const auto& pair : scheduled) add_schedule(pair, all);
  const auto in_windows = pairs_in_windows(hazards);
  for (std::size_t i = 0; i < hazards.size(); ++i) {
    add_hazards(hazards[i], in_windows[i], all);
    scheduled.insert(scheduled.end(), in_windows[i].begin(), in_windows[i].end());
  }
  const auto waiting = waiting_opcodes(scheduled);
  for (auto& [key, found] : all) {
    if (!waiting.contains(std::get<0>(key))) continue;
    found.waits = true;
    found.schedule.reset();
  }
  std::vector<results::Pair> rows;
  for (const auto& [key, found] : all) {
    results::Pair row{
        std::get<0>(key), std::get<1>(key), std::get<2>(key), found.schedule, found.measured, found.hazard, {}, {},
        found.is_patched};
    judge(found, row);
    rows.push_back(std::move(row));
  }
  explain_missing_hazards(rows, schedules.forms, schedules.refusals);
  for (auto& row : rows) note_measured(row);
  return rows;
}

std::map<std::string, double> hazard_of_opcodes(const std::vector<results::Pair>& pairs) {
  std::map<std::string, double> hazards;
  for (const auto& pair : pairs) {
    if (!pair.hazard || is_overwriting(pair)) continue;
    const auto [place, is_new] = hazards.emplace(pair.producer, *pair.hazard);
    if (!is_new) place->second = std::min(place->second, *pair.hazard);
  }
  return hazards;
}

results::Fact release_of_scoreboards(const std::vector<results::Pair>& pairs) {
  std::map<double, std::size_t> counts;
  std::size_t all = 0;
  for (const auto& pair : pairs) {
    if (pair.verdict != "waits" || is_overwriting(pair) || !pair.measured || !pair.hazard) continue;
    ++counts[*pair.measured - *pair.hazard];
    ++all;
  }
  results::Fact fact{"scoreboard.release_cycles",        {}, {}, {}, {}, "cycles", "kind",
                     results::FactVerdict::undetermined, {}};
  const std::string experiment =
      "issue behind the wait for a scoreboard less the lowest distance at which the value is right without it";
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  if (most == counts.end()) {
    fact.how = experiment + "; no pair of opcodes has both";
    return fact;
  }
  fact.how = fmt::format("{}; {} in {} of {} pairs of opcodes", experiment, most->first, most->second, all);
  constexpr double nearly_all = 0.9;
  if (static_cast<double>(most->second) < nearly_all * static_cast<double>(all)) return fact;
  fact.value = fmt::format("{}", most->first);
  fact.low = fact.high = most->first;
  fact.verdict = results::FactVerdict::measured;
  return fact;
}

}  // namespace ptxlat::pairs
