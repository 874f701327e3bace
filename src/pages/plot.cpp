// SPDX-License-Identifier: Apache-2.0
#include "pages/plot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "pages/memory_map.h"
#include "tables/curves.h"
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

}  // namespace ptxlat::pages
