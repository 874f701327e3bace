// SPDX-License-Identifier: Apache-2.0
#include "pairs/hazard_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quantile.h"
#include "latency/experiment_builder.h"
#include "loops/saturated_kernel.h"
#include "pairs/hazard_patch.h"
#include "ptx/bridge.h"
#include "ptx/kernel_builder.h"
#include "results/curve.h"
#include "results/note.h"

namespace ptxlat::pairs {

namespace {

constexpr int passes = ptx::passes_of_window;
constexpr int warmed_up = 1;      // pass from which the values count
constexpr int turned_lanes = 11;  // by which the operands' lanes are turned from pass to pass
// Words of an output slot: the clocks, then the consumer's result and the instruction's own (frame.ptx).
constexpr std::size_t clock_words = 2, value_words = 8;

// Each pass gets the operands of other lanes.
void turn_lanes(std::vector<std::uint64_t>& input) {
  const auto original = input;
  constexpr auto row = static_cast<std::size_t>(ptx::operands_per_slot);
  for (std::size_t slot = 0; slot < input.size() / row; ++slot) {
    const auto lane = slot % loops::lanes_of_a_warp, pass = slot / loops::lanes_of_a_warp;
    const auto from = (lane + pass * turned_lanes) % loops::lanes_of_a_warp;
    std::copy_n(original.begin() + static_cast<std::ptrdiff_t>(from * row), row,
                input.begin() + static_cast<std::ptrdiff_t>(slot * row));
  }
}

}  // namespace

ptx::Trial hazard_trial(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant,
                        const isa::Consumer& consumer) {
  const latency::ExperimentBuilder parts{loaded, variant, &consumer};
  ptx::KernelBuilder builder(loaded.catalogue, *variant.form);
  builder.use_threads((passes + 1) * loops::lanes_of_a_warp);
  for (const auto& text : variant.form->module) builder.need(text);
  ptx::prepare_operands(builder, variant);
  parts.prepare_consumer(builder);
  builder.once += fmt::format("  setp.ge.u32 %guard, %lane, {};\n  @%guard bra DONE;\n", loops::lanes_of_a_warp);
  constexpr int bytes_of_pass = loops::lanes_of_a_warp * ptx::slot_bytes;
  builder.after_pass = fmt::format("  add.u64 %in, %in, {0};\n  add.u64 %out, %out, {0};\n", bytes_of_pass);
  std::string places;
  for (int place = 0; place < places_of_hazard; ++place) places += "  pmevent 0;\n";
  const auto window =
      parts.window(loaded.skeletons.differential,
                   {{"op", parts.op({}, 1) + places}, {"consumer", parts.consume(parts.consumed_register())}});
  auto result = parts.store_consumed() + parts.keep_results();
  // The consumer's other operand is needed afterwards, so that its result does not get that register.
  constexpr int place_of_other = 48;
  if (!consumer.k_type.empty()) result += ptx::store_live({"%k"}, consumer.k_type, place_of_other);
  auto trial = parts.finished(builder, window, result);
  turn_lanes(trial.launch.input);
  trial.launch.output_words = {0, 1, 4, 5, 6, 7, 8, 9, 10, 11};
  trial.role = "hazard";
  return trial;
}

int lanes_that_count(const ptx::Readout& readout) {
  return static_cast<int>(readout.launches) * (passes - warmed_up) * loops::lanes_of_a_warp;
}

int wrong_lanes(const ptx::Readout& readout, const ptx::Readout& right) {
  int wrong = 0;
  for (std::size_t launch = 0; launch < readout.launches; ++launch) {
    for (std::size_t thread = warmed_up * loops::lanes_of_a_warp; thread < passes * loops::lanes_of_a_warp; ++thread) {
      bool differs = false;
      for (std::size_t word = clock_words; word < clock_words + value_words; ++word)
        differs = differs || readout.word(launch, thread, word) != right.word(0, thread, word);
      wrong += differs ? 1 : 0;
    }
  }
  return wrong;
}

double elapsed_of_hazard(const ptx::Readout& readout) {
  constexpr std::size_t last = (passes - 1) * loops::lanes_of_a_warp;
  std::vector<double> elapsed;
  for (std::size_t launch = 0; launch < readout.launches; ++launch)
    elapsed.push_back(readout.word(launch, last, 1) - readout.word(launch, last, 0));
  return median_of(std::move(elapsed));
}

std::string why_no_hazard(const isa::Variant& variant) {
  const auto& form = *variant.form;
  const auto& input = *variant.input;
  if (!form.not_measurable.empty()) return form.not_measurable;
  if (!form.unsupported_because.empty()) return form.unsupported_because;
  if (form.cluster > 1 || form.threads != loops::lanes_of_a_warp) return "it is not for warps on their own";
  if (!input.before.empty() || !input.prepare.empty() || !input.completion.empty() || !form.cleanup.empty())
    return "it needs something done before or after it";
  if (latency::observation_of(variant) != latency::Observation::consumed) return "nothing consumes its result";
  return {};
}

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
