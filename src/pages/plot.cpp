// SPDX-License-Identifier: Apache-2.0
#include "pages/plot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "pages/memory_map.h"
#include "tables/curves.h"
#include "tables/number.h"
#include "tables/probe_files.h"

namespace ptxlat::pages {

namespace {

constexpr std::chrono::seconds gnuplot_deadline{60};
constexpr const char* how_to_get_gnuplot = "install it: apt-get install gnuplot-nox";

std::filesystem::path find_gnuplot() {
  auto program = program_on_path("gnuplot");
  if (program.empty())
    throw Error(ExitCode::missing_tool, "no gnuplot in PATH; it is needed to draw plots", how_to_get_gnuplot);
  return program;
}

// The SVG that the script draws.
std::string draw(const std::filesystem::path& gnuplot, const std::string& script) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "plot.gp") << script;
  // -d: the user's own configuration must not affect a table's plots.
  const auto outcome = run_program(gnuplot, {"-d", "plot.gp"}, folder.path(), gnuplot_deadline);
  const auto svg = folder.path() / "plot.svg";
  std::error_code ignored;
  if (!outcome.ok() || !std::filesystem::exists(svg, ignored)) {
    throw Error(ExitCode::missing_tool,
                fmt::format("{} {}: {}", gnuplot.string(), describe(outcome, gnuplot_deadline), outcome.output),
                "gnuplot 5.0 or newer with its svg terminal is needed; " + std::string(how_to_get_gnuplot));
  }
  return read_file(svg);
}

std::string name_of(const results::Record& record, const results::Series& series) {
  return record.series.size() == 1 ? record.ptx : fmt::format("{}-{}", record.ptx, series.name);
}

std::string machine_of(const results::Record& record, const std::vector<results::Run>& runs) {
  const auto run =
      std::find_if(runs.begin(), runs.end(), [&](const results::Run& one) { return one.id == record.run; });
  return run != runs.end() && run->device ? run->device->name : "";
}

bool has_points(const results::Series& series) {
  return tables::main_axis(series) && std::any_of(series.values.begin(), series.values.end(),
                                                  [](const std::optional<double>& value) { return value.has_value(); });
}

}  // namespace

void require_gnuplot() { find_gnuplot(); }

std::vector<std::filesystem::path> write_plots(const std::filesystem::path& folder,
                                               const std::vector<results::Record>& records,
                                               const std::vector<results::Run>& runs) {
  const auto gnuplot = find_gnuplot();
  std::vector<NamedContent> plots;
  for (const results::Record& record : records) {
    for (const results::Series& series : record.series) {
      if (!has_points(series)) continue;
      plots.emplace_back(tables::free_name(name_of(record, series), ".svg", plots),
                         draw(gnuplot, plot_script(record, series, machine_of(record, runs))));
    }
  }
  if (!plots.empty()) replace_files(folder, plots);
  std::vector<std::filesystem::path> files;
  for (const NamedContent& plot : plots) files.push_back(folder / plot.first);
  return files;
}

std::vector<std::filesystem::path> write_memory_plot(const std::filesystem::path& folder,
                                                     const std::vector<results::Record>& records,
                                                     const std::vector<results::Run>& runs) {
  const auto map = memory_map(records);
  if (map.empty()) return {};
  replace_files(folder, {{"memory.svg", draw(find_gnuplot(), memory_script(map, machine_of(records.front(), runs)))}});
  return {folder / "memory.svg"};
}

// A drawing as text: data, ranges and labels are all in the script, so that gnuplot does not choose anything that
// should be equal in two plots.

namespace {

// Okabe and Ito's colours, which are distinguishable with any colour vision; the marks are grey.
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#a5871a"};
constexpr const char* mark_colour = "#555555";
// If there are more curves, the legend does not name them, and they fade from one colour to another.
constexpr std::size_t most_named_curves = 16;
// The distance between labels of neighbouring marks, as a share of the drawing's height and width.
constexpr double least_label_distance = 0.042, least_edge_distance = 0.028;

// An axis with its range, and the place of a value on it, from 0 to 1.
struct Scale {
  double low = 0, high = 1;
  bool is_logarithmic = false;
  bool is_of_bytes = false;

  double position(double value) const {
    if (!is_logarithmic) return (value - low) / (high - low);
    return value <= 0 ? -1 : std::log(value / low) / std::log(high / low);
  }
  bool shows(double value) const { return position(value) >= 0 && position(value) <= 1; }
};

// Bytes, and axes that span more than two decades, are logarithmic. `starts_at_zero` is for values that are read as
// heights.
Scale scale_of(const std::vector<double>& values, const std::string& unit, bool starts_at_zero) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  Scale scale{*lowest, *highest};
  scale.is_of_bytes = unit == "bytes";
  scale.is_logarithmic = scale.low > 0 && scale.high > scale.low && (scale.is_of_bytes || scale.high > 100 * scale.low);
  if (scale.is_logarithmic) {
    const double margin = std::pow(scale.high / scale.low, 0.03);
    scale.low /= margin;
    scale.high *= margin;
    return scale;
  }
  if (starts_at_zero && scale.low > 0) scale.low = 0;
  const double margin = scale.high > scale.low ? 0.04 * (scale.high - scale.low) : std::max(1.0, std::abs(scale.high));
  scale.high += margin;
  if (scale.low != 0 || !starts_at_zero) scale.low -= margin;
  return scale;
}

std::string value_text(const tables::Mark& mark) {
  if (mark.fact->unit == "bytes") return bytes_text(mark.value);
  return fmt::format("{} {}", mark.fact->value, mark.fact->unit);
}

// At powers of two, at most ten of them, with the unit that a reader would write.
std::string byte_tics(const Scale& scale) {
  const int first = static_cast<int>(std::ceil(std::log2(scale.low)));
  const int last = static_cast<int>(std::floor(std::log2(scale.high)));
  const int step = std::max(1, (last - first) / 10 + 1);
  std::string tics;
  for (int power = first; power <= last; power += step) {
    const double value = std::exp2(power);
    tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ", in_quotes(bytes_text(value)), tables::decimal(value));
  }
  return tics;
}

std::string axis_commands(const char* name, const Scale& scale, const std::string& label) {
  std::string text = fmt::format("set {}label {}\nset {}range [{}:{}]\n", name, in_quotes(label), name,
                                 tables::decimal(scale.low), tables::decimal(scale.high));
  if (scale.is_logarithmic) text += fmt::format("set logscale {} {}\n", name, scale.is_of_bytes ? 2 : 10);
  if (scale.is_logarithmic && scale.is_of_bytes) text += fmt::format("set {}tics ({})\n", name, byte_tics(scale));
  return text;
}

// For an axis with names, a tic for each.
std::string name_tics(const results::Axis& axis) {
  std::string tics;
  for (std::size_t i = 0; i < axis.names.size(); ++i)
    tics += fmt::format("{}{} {}", tics.empty() ? "" : ", ", in_quotes(axis.names[i]), tables::decimal(axis.values[i]));
  return tics.empty() ? tics : fmt::format("set xtics ({})\n", tics);
}

std::string label_of(const tables::Mark& mark) {
  return fmt::format("{}{}{}: {}", mark.fact->quantity, mark.fact->condition.empty() ? "" : " ", mark.fact->condition,
                     value_text(mark));
}

// Moves labels apart: each keeps its order and its place, or the nearest free place above it; if that is beyond the
// end, all labels below it move down.
std::vector<double> spread(std::vector<double> places, double distance) {
  for (std::size_t i = 1; i < places.size(); ++i) places[i] = std::max(places[i], places[i - 1] + distance);
  if (!places.empty()) places.back() = std::min(places.back(), 1.0);
  for (std::size_t i = places.size(); i-- > 1;) places[i - 1] = std::min(places[i - 1], places[i] - distance);
  return places;
}

// The marks within the scale, from its lower end on.
std::vector<tables::Mark> shown(std::vector<tables::Mark> marks, const Scale& scale) {
  std::erase_if(marks, [&](const tables::Mark& mark) { return !scale.shows(mark.value); });
  std::stable_sort(marks.begin(), marks.end(),
                   [](const tables::Mark& a, const tables::Mark& b) { return a.value < b.value; });
  return marks;
}

// The colour of the only curve for which the fact holds.
std::string colour_of(const tables::Mark& mark, const std::vector<tables::Curve>& curves) {
  if (curves.size() == 1 || curves.size() > most_named_curves) return mark_colour;
  std::size_t found = curves.size();
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!tables::may_hold_together(mark.fact->condition, curves[i].condition)) continue;
    if (found != curves.size()) return mark_colour;
    found = i;
  }
  return found == curves.size() ? mark_colour : colours[found % colours.size()];
}

// Plateaus: the range as a band, the value as a line, the label beside the drawing.
std::string level_commands(const std::vector<tables::Mark>& levels, const std::vector<tables::Curve>& curves,
                           const Scale& scale) {
  std::vector<double> places;
  for (const tables::Mark& mark : levels) places.push_back(scale.position(mark.value));
  places = spread(places, least_label_distance);
  std::string text;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const tables::Mark& mark = levels[i];
    const auto colour = colour_of(mark, curves);
    const double low = std::max(mark.low, scale.low), high = std::min(mark.high, scale.high);
    if (low < high) {
      text += fmt::format(
          "set object rectangle from graph 0, first {} to graph 1, first {} behind fillcolor rgb '{}' fillstyle "
          "transparent solid 0.12 noborder\n",
          tables::decimal(low), tables::decimal(high), colour);
    }
    const auto value = tables::decimal(mark.value);
    text += fmt::format("set arrow from graph 0, first {} to graph 1, first {} nohead dashtype 2 linecolor rgb '{}'\n",
                        value, value, colour);
    text += fmt::format(
        "set arrow from graph 1, first {} to graph 1.02, graph {:.4f} nohead linecolor rgb '{}'\n"
        "set label {} at graph 1.025, graph {:.4f} left textcolor rgb '{}' font ',11'\n",
        value, places[i], colour, in_quotes(label_of(mark)), places[i], colour);
  }
  return text;
}

// Capacities and knees: a line up, with its label along it.
std::string edge_commands(const std::vector<tables::Mark>& edges, const std::vector<tables::Curve>& curves,
                          const Scale& scale) {
  std::vector<double> places;
  for (const tables::Mark& mark : edges) places.push_back(scale.position(mark.value));
  places = spread(places, least_edge_distance);
  std::string text;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto colour = colour_of(edges[i], curves);
    const auto value = tables::decimal(edges[i].value);
    text += fmt::format(
        "set arrow from first {}, graph 0 to first {}, graph 1 nohead dashtype 3 linecolor rgb '{}'\n"
        "set label {} at graph {:.4f}, graph 0.98 right rotate by 90 offset character -0.9, 0 textcolor rgb '{}' "
        "font ',11'\n",
        value, value, colour, in_quotes(label_of(edges[i])), places[i], colour);
  }
  return text;
}

std::string data_of(const std::vector<tables::Curve>& curves) {
  std::string text;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    text += fmt::format("$curve{} << END\n", i);
    // A point without a value is a gap in the line.
    for (const tables::CurvePoint& point : curves[i].points)
      text += fmt::format("{} {}\n", tables::decimal(point.at), point.value ? tables::decimal(point.value) : "NaN");
    text += "END\n";
  }
  return text;
}

// From blue to orange, by the curve's distance from the first one.
std::string faded(std::size_t i, std::size_t count) {
  const double share = static_cast<double>(i) / static_cast<double>(count - 1);
  const auto between = [&](int from, int to) { return static_cast<int>(std::lround(from + share * (to - from))); };
  return fmt::format("#{:02x}{:02x}{:02x}", between(0x00, 0xd5), between(0x72, 0x5e), between(0xb2, 0x00));
}

std::string plot_command(const std::vector<tables::Curve>& curves, const std::string& name) {
  std::string text = "plot ";
  const bool are_named = curves.size() <= most_named_curves;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const auto& condition = curves[i].condition;
    const std::string title = are_named ? "title " + in_quotes(condition.empty() ? name : condition) : "notitle";
    const std::string style =
        are_named ? fmt::format("linespoints linecolor rgb '{}' linewidth 1.5 pointtype {} pointsize 0.6",
                                colours[i % colours.size()], 4 + i)
                  : fmt::format("lines linecolor rgb '{}' linewidth 0.7", faded(i, curves.size()));
    text += fmt::format("{}$curve{} using 1:2 {} with {}", i == 0 ? "" : ", \\\n  ", i, title, style);
  }
  return text + "\n";
}

std::size_t longest_label(const std::vector<tables::Mark>& levels) {
  std::size_t longest = 0;
  for (const tables::Mark& mark : levels) longest = std::max(longest, label_of(mark).size());
  return longest;
}

}  // namespace

std::string plot_script(const results::Record& record, const results::Series& series, const std::string& machine) {
  const results::Axis& axis = *tables::main_axis(series);
  const auto curves = tables::curves_of(series);
  const tables::Marks marks = tables::marks_of(record, series);
  std::vector<double> values;
  for (const auto& value : series.values) {
    if (value) values.push_back(*value);
  }
  const Scale across = scale_of(axis.values, axis.unit, false), up = scale_of(values, series.unit, true);
  const auto levels = shown(marks.levels, up), edges = shown(marks.edges, across);
  std::string title = series.name == record.ptx ? record.ptx : fmt::format("{}: {}", record.ptx, series.name);
  if (!machine.empty()) title += ", " + machine;
  if (curves.size() > most_named_curves)
    title += fmt::format(" ({} curves, {} to {})", curves.size(), curves.front().condition, curves.back().condition);
  // A character of the labels is about 7 units wide.
  const std::size_t margin = levels.empty() ? 20 : 40 + 7 * longest_label(levels);
  return fmt::format(
             "set terminal svg size {},520 noenhanced font 'Helvetica,13' background 'white'\n"
             "set output 'plot.svg'\n"
             "set encoding utf8\n"
             "set title {}\n"
             "set rmargin at screen {:.4f}\n"
             "set border 3\n"
             "set tics nomirror out\n"
             "set grid linecolor rgb '#dddddd'\n"
             "set key bmargin center horizontal width 2\n",
             760 + margin, in_quotes(title), 760.0 / static_cast<double>(760 + margin)) +
         axis_commands("x", across, across.is_of_bytes ? axis.name : tables::with_unit(axis.name, axis.unit)) +
         name_tics(axis) + axis_commands("y", up, tables::with_unit(series.name, series.unit)) +
         level_commands(levels, curves, up) + edge_commands(edges, curves, across) + data_of(curves) +
         plot_command(curves, series.name);
}

}  // namespace ptxlat::pages
