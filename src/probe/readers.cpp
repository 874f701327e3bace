// SPDX-License-Identifier: Apache-2.0
#include "probe/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>

#include "sass/opcodes.h"
#include "series/rounds.h"
#include "series/series_models.h"

namespace ptxlat::probe {

namespace {

// The last second clock minus the first first clock of all threads that stored any; 32 bits that wrap.
std::uint32_t span_of(const ptx::Readout& readout, std::size_t launch) {
  const auto has_stored = [&](std::size_t thread) {
    return readout.word(launch, thread, 0) != 0 || readout.word(launch, thread, 1) != 0;
  };
  std::size_t any = 0;
  while (any < readout.threads && !has_stored(any)) ++any;
  if (any == readout.threads) return 0;
  const auto origin = readout.word(launch, any, 0);
  std::int32_t first = 0, last = std::numeric_limits<std::int32_t>::min();
  for (std::size_t thread = any; thread < readout.threads; ++thread) {
    if (!has_stored(thread)) continue;
    first = std::min(first, static_cast<std::int32_t>(readout.word(launch, thread, 0) - origin));
    last = std::max(last, static_cast<std::int32_t>(readout.word(launch, thread, 1) - origin));
  }
  return static_cast<std::uint32_t>(last - first);
}

// The longest of all threads, from first clock to second.
std::uint32_t longest(const ptx::Readout& readout, std::size_t launch) {
  std::uint32_t most = 1;
  for (std::size_t thread = 0; thread < readout.threads; ++thread)
    most = std::max(most, readout.word(launch, thread, 1) - readout.word(launch, thread, 0));
  return most;
}

// The last launch's words of every n-th thread, minus the earliest of all. A word that is zero was not stored.
std::vector<std::optional<double>> timeline(const ptx::Readout& readout, std::size_t step) {
  const auto launch = readout.launches - 1;
  std::uint32_t origin = 0;  // any stored one; clocks wrap, so they are compared by their distance from it
  std::int32_t first = 0;
  for (std::size_t thread = 0; thread < readout.threads; thread += step) {
    for (std::size_t word = 0; word < readout.words_per_thread; ++word) {
      const auto clock = readout.word(launch, thread, word);
      if (origin == 0) origin = clock;
      if (clock != 0) first = std::min(first, static_cast<std::int32_t>(clock - origin));
    }
  }
  std::vector<std::optional<double>> values;
  for (std::size_t thread = 0; thread < readout.threads; thread += step) {
    for (std::size_t word = 0; word < readout.words_per_thread; ++word) {
      const auto clock = readout.word(launch, thread, word);
      values.push_back(clock == 0 ? std::nullopt
                                  : std::optional<double>(static_cast<std::int32_t>(clock - origin) - first));
    }
  }
  return values;
}

results::Axis counting(const char* name, std::size_t size) {
  results::Axis axis{name, "", std::vector<double>(size), {}};
  std::iota(axis.values.begin(), axis.values.end(), 0.0);
  return axis;
}

// Each word of thread 0, the median of the launches: accesses that leave the SM spread, and the first launch finds cold
// caches.
std::vector<std::optional<double>> words_of(const Point& point, const ptx::Readout& readout) {
  const auto count = static_cast<double>(point.count);
  std::vector<std::optional<double>> values;
  for (std::size_t word = 0; word < readout.words_per_thread; ++word) {
    std::vector<double> of_launch;
    for (std::size_t launch = 0; launch < readout.launches; ++launch)
      of_launch.push_back(readout.word(launch, 0, word) / count);
    values.emplace_back(median_of(std::move(of_launch)));
  }
  return values;
}

constexpr std::size_t lanes = 32;
std::size_t warps_of(const ptx::Launch& launch) {
  return (static_cast<std::size_t>(launch.threads * launch.output_ctas) + lanes - 1) / lanes;
}

std::size_t one_value(const Probe&, const Point&) { return 1; }
std::size_t values_of_threads(const Probe& probe, const Point& point) {
  const auto& launch = point.trial.launch;
  return static_cast<std::size_t>(launch.threads * launch.output_ctas) * probe.words.size();
}
std::size_t values_of_warps(const Probe& probe, const Point& point) {
  return warps_of(point.trial.launch) * probe.words.size();
}
std::size_t values_of_words(const Probe& probe, const Point&) { return probe.words.size(); }
std::size_t values_of_samples(const Probe&, const Point& point) {
  std::size_t words = 0;
  for (const auto& buffer : point.trial.launch.buffers) words += buffer.read_words;
  return words;
}

// Of one launch; none if its clocks do not show it.
using OfLaunch = std::optional<double>(const ptx::Readout& readout, std::size_t launch, double count);
std::optional<double> per_step(const ptx::Readout& readout, std::size_t launch, double count) {
  return (readout.word(launch, 0, 1) - readout.word(launch, 0, 0)) / count;
}
std::optional<double> rate(const ptx::Readout& readout, std::size_t launch, double count) {
  return count / longest(readout, launch);
}
std::optional<double> span(const ptx::Readout& readout, std::size_t launch, double count) {
  const auto cycles = span_of(readout, launch);
  return cycles == 0 ? std::nullopt : std::optional<double>(cycles / count);
}
std::optional<double> throughput(const ptx::Readout& readout, std::size_t launch, double count) {
  const auto cycles = span_of(readout, launch);
  return cycles == 0 ? std::nullopt : std::optional<double>(count / cycles);
}

// The median of the launches.
template <OfLaunch* of_launch>
Values of_launches(const Point& point, const ptx::Readout& readout) {
  std::vector<double> values;
  for (std::size_t launch = 0; launch < readout.launches; ++launch) {
    if (const auto value = of_launch(readout, launch, static_cast<double>(point.count))) values.push_back(*value);
  }
  if (values.empty()) return {std::nullopt};
  return {median_of(std::move(values))};
}

Values timeline_of_threads(const Point&, const ptx::Readout& readout) { return timeline(readout, 1); }
Values timeline_of_warps(const Point&, const ptx::Readout& readout) { return timeline(readout, lanes); }
// The buffers are read once, after the last launch.
Values samples_of(const Point& point, const ptx::Readout& readout) {
  Values values;
  for (const auto word : readout.buffers) values.emplace_back(word / static_cast<double>(point.count));
  return values;
}

int registers_of(const sass::Window& window) { return window.registers; }

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      // (second clock − first clock) / count, of thread 0.
      {"per_step", true, {}, one_value, of_launches<per_step>, nullptr},
      // Count / (last second clock − first first clock), over all threads.
      {"throughput", false, {}, one_value, of_launches<throughput>, nullptr},
      // (last second clock − first first clock) / count, over all threads.
      {"span", false, {}, one_value, of_launches<span>, nullptr},
      // Count / the longest of all threads' (second clock − first clock): for several SMs, whose clocks are not
      // synchronised.
      {"rate", false, {}, one_value, of_launches<rate>, nullptr},
      // Each word of each thread minus the earliest of all: adds two axes, `thread` and `word`.
      {"timeline", false, {"thread", "word"}, values_of_threads, timeline_of_threads, nullptr},
      // The same for the first lane of each warp: adds two axes, `warp` and `word`.
      {"warps", false, {"warp", "word"}, values_of_warps, timeline_of_warps, nullptr},
      // Each word of thread 0 / count, median of the launches: adds one axis, `word`.
      {"words", true, {"word"}, values_of_words, words_of, nullptr},
      // The words read from the buffers / count, after the last launch: adds the axes that the file names, or one,
      // `sample`.
      {"samples", true, {"sample"}, values_of_samples, samples_of, nullptr},
      // How many scoreboards the machine code between the clocks sets: read off the code, regardless of the launch.
      {"scoreboards", true, {}, one_value, nullptr, scoreboards_of},
      // Of a thread, read off the machine code, regardless of the launch.
      {"registers", true, {}, one_value, nullptr, registers_of}};
  return all;
}

const Reader* find_reader(std::string_view name) {
  const auto found =
      std::find_if(readers().begin(), readers().end(), [&](const Reader& one) { return one.name == name; });
  return found == readers().end() ? nullptr : &*found;
}

std::vector<std::optional<double>> values_of(const Probe& probe, const Point& point, const ptx::Readout& readout) {
  const auto* reader = find_reader(probe.reader);
  return readout.launches == 0 || reader->values == nullptr ? Values{} : reader->values(point, readout);
}

int scoreboards_of(const sass::Window& window) {
  unsigned set = 0;
  for (const auto& instruction : window.instructions)
    set |= static_cast<unsigned>(sass::scoreboards_set(instruction.control));
  return std::popcount(set);
}

results::Series series_of(const Probe& probe, const std::vector<std::vector<std::optional<double>>>& values,
                          const std::vector<Point>& points) {
  results::Series series;
  series.name = probe.series;
  series.unit = probe.unit;
  if (probe.rounds > 1) {
    auto& rounds = series.axes.emplace_back(counting(series::round_axis, static_cast<std::size_t>(probe.rounds)));
    for (auto& value : rounds.values) ++value;
  }
  for (const auto& axis : probe.axes)
    series.axes.push_back({axis.name, axis.unit, {axis.values.begin(), axis.values.end()}, axis.names});
  const auto& reader = *find_reader(probe.reader);
  std::size_t width = 1;
  for (const auto& point : points) width = std::max(width, reader.width(probe, point));
  for (const auto axis : reader.axes) {
    if (axis == "word") {
      series.axes.push_back(counting("word", probe.words.size()));
      series.axes.back().names = probe.word_names;
    } else if (axis != "sample") {
      series.axes.push_back(counting(axis.data(), width / probe.words.size()));
    } else if (probe.sample_axes.empty()) {
      series.axes.push_back(counting("sample", width));
    }
  }
  for (std::size_t i = 0; i < probe.sample_axes.size() && !points.empty(); ++i) {
    const auto& of_samples = probe.sample_axes[i];
    auto& axis = series.axes.emplace_back(counting(of_samples.name.c_str(), points.front().sample_counts[i]));
    for (auto& value : axis.values) value = of_samples.from + of_samples.step * value;
    axis.names = of_samples.names;
  }
  for (auto of_point : values) {
    of_point.resize(width);
    series.values.insert(series.values.end(), of_point.begin(), of_point.end());
  }
  return series;
}

std::optional<results::Series> part_of(const Probe& probe, const results::Series& series) {
  // The rounds come before the probe's own axes, those that a reader adds after them: they are not changed.
  const std::size_t first = !series.axes.empty() && series.axes.front().name == series::round_axis ? 1 : 0;
  const std::size_t end = first + probe.axes.size();
  if (series.axes.size() < end) return std::nullopt;
  std::vector<std::vector<bool>> is_kept(series.axes.size());  // [axis][place]
  results::Series part{series.name, series.unit, series.axes, {}};
  for (std::size_t i = 0; i < series.axes.size(); ++i) {
    const auto& axis = series.axes[i];
    const bool is_own = i >= first && i < end;
    if (is_own && (axis.name != probe.axes[i - first].name || axis.names != probe.axes[i - first].names))
      return std::nullopt;
    const auto is_wanted = [&](double value) {
      if (!is_own) return true;
      const auto& values = probe.axes[i - first].values;
      return std::find(values.begin(), values.end(), static_cast<std::int64_t>(value)) != values.end();
    };
    part.axes[i].values.clear();
    for (const double value : axis.values) {
      is_kept[i].push_back(is_wanted(value));
      if (is_kept[i].back()) part.axes[i].values.push_back(value);
    }
    if (part.axes[i].values.empty()) return std::nullopt;
  }
  const auto lengths = results::lengths_of(series);
  for (std::size_t number = 0; number < series.values.size(); ++number) {
    const auto places = results::places_of(number, lengths);
    bool is_wanted = true;
    for (std::size_t i = 0; i < places.size(); ++i) is_wanted = is_wanted && is_kept[i][places[i]];
    if (is_wanted) part.values.push_back(series.values[number]);
  }
  return part;
}

namespace {

// Whether "LDS.U.128" has all of "LDS.128".
bool has_modifiers(const std::string& opcode, const std::string& wanted) {
  std::istringstream parts(wanted);
  for (std::string part; std::getline(parts, part, '.');) {
    if (("." + opcode + ".").find("." + part + ".") == std::string::npos) return false;
  }
  return true;
}

}  // namespace

sass::Audit audit(const Probe& probe, const Point& point, const sass::Window& window) {
  std::map<std::string, std::int64_t> counts;
  // In a window the clock reads are the edges; in a whole kernel they are ordinary instructions.
  const std::size_t edge = probe.whole_kernel ? 0 : 1;
  for (auto i = edge; i + edge < window.instructions.size(); ++i) {
    const std::string opcode(sass::opcode_of(window.instructions[i].text));
    // An opcode that the probe names with modifiers is counted with them; other instructions of that name are counted
    // without.
    const auto with_modifiers = std::find_if(point.opcodes.begin(), point.opcodes.end(), [&](const auto& expected) {
      return expected.first.find('.') != std::string::npos && has_modifiers(opcode, expected.first);
    });
    ++counts[with_modifiers != point.opcodes.end() ? with_modifiers->first : std::string(sass::family_of(opcode))];
  }
  if (point.registers && window.registers != *point.registers)
    return {
        sass::Verdict::contaminated, fmt::format("{} registers instead of {}", window.registers, *point.registers), {}};
  sass::Audit result;
  for (const auto& [opcode, expected] : point.opcodes) {
    const auto found = counts[opcode];
    if (found == expected) {
      result.sass.insert(result.sass.end(), static_cast<std::size_t>(found), opcode);
      continue;
    }
    return {found < expected ? sass::Verdict::elided : sass::Verdict::contaminated,
            fmt::format("{} {} instead of {}", found, opcode, expected),
            {}};
  }
  for (const auto& [opcode, count] : counts) {
    if (count == 0 || point.opcodes.contains(opcode)) continue;
    const auto is_among = [&, &name = opcode](const auto& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    if (probe.without.empty() ? is_among(probe.beside) : !is_among(probe.without)) continue;
    return {sass::Verdict::contaminated, fmt::format("{} {} that the probe does not name", count, opcode), {}};
  }
  return result;
}

}  // namespace ptxlat::probe
