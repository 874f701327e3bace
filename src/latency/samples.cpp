// SPDX-License-Identifier: Apache-2.0
#include "latency/samples.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/quantile.h"
#include "sass/opcodes.h"

namespace ptxlat::latency {

namespace {

constexpr double majority = 0.5;

// Sorted, without the slowest, which may be the first.
std::vector<std::uint32_t> without_slowest(std::vector<std::uint32_t> cycles) {
  std::sort(cycles.begin(), cycles.end());
  if (cycles.size() > 2) cycles.pop_back();
  return cycles;
}

}  // namespace

std::vector<std::uint32_t> elapsed_cycles(const ptx::Readout& readout) {
  std::vector<std::uint32_t> samples;
  for (std::size_t launch = 0; launch < readout.launches; ++launch)
    samples.push_back(readout.word(launch, 0, 1) - readout.word(launch, 0, 0));
  return samples;
}

std::optional<Mode> mode_of(const std::vector<std::uint32_t>& samples) {
  if (samples.empty()) return std::nullopt;
  std::map<std::uint32_t, int> counts;
  for (const auto sample : samples) ++counts[sample];
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return Mode{most->first, static_cast<double>(most->second) / static_cast<double>(samples.size())};
}

std::optional<double> elapsed_of(const std::vector<std::uint32_t>& samples, bool uses_memory) {
  constexpr double widest_spread = 0.1;
  const auto mode = mode_of(samples);
  if (!mode) return std::nullopt;
  const auto cycles = without_slowest(samples);
  const double median = cycles[cycles.size() / 2];
  const bool is_narrow = cycles.back() - cycles.front() <= widest_spread * median;
  // Of two values in turn, the first one has 5 of 9 launches and the other one 4.
  const auto fastest = std::count(samples.begin(), samples.end(), cycles.front());
  if (is_narrow && 9 * fastest >= 4 * std::ssize(samples)) return cycles.front();
  if (mode->share > majority) return mode->cycles;
  if (uses_memory) return cycles.front();
  if (!is_narrow) return std::nullopt;
  return median;
}

double spread_of(const std::vector<std::uint32_t>& samples) {
  const auto mode = mode_of(samples);
  if (!mode || mode->share > majority) return 0;
  const auto cycles = without_slowest(samples);
  return static_cast<double>(cycles.back() - cycles.front());
}

double spread_of(const results::Record& record) {
  double widest = 0;
  for (const auto& window : record.windows) widest = std::max(widest, spread_of(window.samples));
  return widest;
}

namespace {

// A fence beyond the CTA waits for an answer from the second-level cache: MEMBAR.ALL.GPU, but not MEMBAR.ALL.CTA.
bool is_far_fence(const sass::Instruction& instruction) {
  const auto opcode = sass::opcode_of(instruction.text);
  return sass::family_of(opcode) == "MEMBAR" && !opcode.ends_with(".CTA");
}

}  // namespace

bool leaves_the_sm(const line::MadeTrial& trial, const sass::Window& window) {
  if (trial.launch.ctas > 1) return true;
  if (!trial.launch.uses_memory) return false;
  if (std::any_of(window.instructions.begin(), window.instructions.end(), is_far_fence)) return true;
  if (!trial.outcome || trial.outcome->status != ptx::LaunchStatus::ok) return false;
  // A majority of equal launches is no proof: SULD and TEX often take the same time on half of the lines that one SM
  // reads, and 40 cycles more or less on a different SM. What stays inside differs in one or two launches at most.
  constexpr double share_inside = 0.9;
  const auto mode = mode_of(elapsed_cycles(trial.outcome->readout));
  return mode && mode->share < share_inside;
}

TrialNumbers add_survey(line::Bench& bench, const Numbers& measured, Headline headline, const std::string& label) {
  TrialNumbers survey;
  if (headline == Headline::none) return survey;
  const auto roles = roles_behind(headline, measured);
  const auto leaves = [&](Role role) { return leaves_the_sm(*measured.trial(role), *measured.kernel(role)->window); };
  if (std::none_of(roles.begin(), roles.end(), leaves)) return survey;
  for (const Role role : roles) {
    auto trial = measured.experiment.trials[role];
    if (!trial.launch.uses_memory) continue;
    trial.launch.places = trial.launch.ctas > 1 ? surveyed_clusters : surveyed_sms;
    trial.launches = surveyed_lines;
    survey[role] = bench.add(trial, label);
  }
  return survey;
}

std::vector<double> surveyed_cycles(const Numbers& measured, Headline headline, const TrialNumbers& survey) {
  // A window that is not in the survey took equally long in each launch.
  const auto inner = [&](Role role, std::size_t launch) -> std::optional<double> {
    if (!survey[role]) return measured.inner(role);
    const auto& outcome = measured.batch.trial(*survey[role]).outcome;
    if (!outcome || outcome->status != ptx::LaunchStatus::ok) return std::nullopt;
    const auto first = outcome->readout.word(launch, 0, 0), second = outcome->readout.word(launch, 0, 1);
    if (first == 0 && second == 0) return std::nullopt;  // it did not fit on its SM
    return second - first - static_cast<double>(measured.edges(role));
  };
  std::vector<double> values;
  if (std::none_of(survey.values.begin(), survey.values.end(), [](const auto& trial) { return trial.has_value(); }))
    return values;
  for (std::size_t launch = 0; launch < surveyed_lines; ++launch) {
    const auto value = measured.value(headline, [&](Role role) { return inner(role, launch); });
    if (value) values.push_back(*value);
  }
  return values;
}

namespace {

Hump hump_of(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, median_of(values), quantile_of(values, 0.95), *most, values.size()};
}

// Where to cut sorted values so that both parts lie as close as possible to their medians, with a tenth or more on
// either side; 0 if there is no such place. The widest gap would not do: some accesses to memory find it being
// refreshed, and the widest gap may be before these.
std::size_t best_cut(const std::vector<double>& values) {
  std::vector<double> sums{0};
  for (const double value : values) sums.push_back(sums.back() + value);
  // The sum of distances to the median: what is above it minus what is below.
  const auto distances = [&](std::size_t from, std::size_t to) {
    const auto half = (to - from) / 2;
    return sums[to] - sums[to - half] - (sums[from + half] - sums[from]);
  };
  const auto tenth = std::max<std::size_t>(1, values.size() / 10);
  std::size_t cut = 0;
  double least = 0;
  for (auto i = tenth; i + tenth <= values.size(); ++i) {
    if (values[i] == values[i - 1]) continue;
    const double sum = distances(0, i) + distances(i, values.size());
    if (cut != 0 && sum >= least) continue;
    least = sum;
    cut = i;
  }
  return cut;
}

}  // namespace

std::vector<Hump> humps_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto cut = best_cut(values);
  const std::vector<double> near(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(cut)),
      far(values.begin() + static_cast<std::ptrdiff_t>(cut), values.end());
  if (near.empty()) return {hump_of(values)};
  const auto first = hump_of(near), second = hump_of(far);
  constexpr double least_ratio = 1.1;
  if (second.median < least_ratio * first.median) return {hump_of(values)};
  // In one broad hump, a sixth of the values would be in the middle third between the medians of its halves.
  const double third = (second.median - first.median) / 3;
  const auto between = std::count_if(values.begin(), values.end(), [&](double value) {
    return value > first.median + third && value < second.median - third;
  });
  constexpr double fewest = 0.06;
  if (static_cast<double>(between) > fewest * static_cast<double>(values.size())) return {hump_of(values)};
  return {first, second};
}

namespace {

// How many launches took how many cycles.
results::Series histogram_of(const std::vector<double>& cycles) {
  std::map<double, double> counts;
  for (const double value : cycles) ++counts[value];
  results::Series series{"survey", "launches", {{"cycles", "cycles", {}}}, {}};
  for (const auto& [value, count] : counts) {
    series.axes.front().values.push_back(value);
    series.values.emplace_back(count);
  }
  return series;
}

}  // namespace

void put_survey(results::Record& record, Headline headline, const std::vector<double>& cycles) {
  const auto humps = humps_of(cycles);
  if (humps.empty() || humps.front().least == humps.back().most) return;
  namespace metric = results::metric;
  const auto& near = humps.front();
  const auto from = record.find(metric::cycles)->from;
  record.set(metric::cycles, near.median, from);
  record.set(headline == Headline::chain ? metric::chain : metric::differential, near.median);
  record.set(metric::least, near.least);
  record.set(metric::median, near.median);
  record.set(metric::p95, near.p95);
  record.set(metric::most, near.most);
  if (humps.size() > 1) {
    const auto& far = humps[1];
    record.set(metric::far_cycles, far.median, from);
    record.set(metric::far_least, far.least);
    record.set(metric::far_p95, far.p95);
    record.set(metric::far_most, far.most);
    record.set(metric::far_share, static_cast<double>(far.count) / static_cast<double>(cycles.size()));
  }
  record.series.push_back(histogram_of(cycles));
  record.add_flag(results::flag::survey);
}

double tolerance_of(const results::Record& record) {
  constexpr double of_median = 0.02;
  const auto median = record.number(results::metric::median);
  return std::max(spread_of(record), of_median * median.value_or(0));
}

}  // namespace ptxlat::latency
