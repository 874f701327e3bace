// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "results/record.h"
#include "results/run.h"

namespace ptxlat::pages {

// Text for gnuplot. Within single quotes only the quote itself is special.
inline std::string in_quotes(const std::string& text) {
  std::string inside;
  for (const char c : text) {
    if (c == '\'') inside += '\'';
    inside += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return "'" + inside + "'";
}

// "16 MiB", with this many digits.
inline std::string bytes_text(double bytes, int digits = 4) {
  static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && bytes >= 1024) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}g} {}", bytes, digits, units[unit]);
}

// A gnuplot script that draws a series as `plot.svg`: a curve for each combination of the further axes, marked with the
// inferred facts (tables/curves.h). Levels are horizontal lines with their ranges as bands, edges are vertical lines.
// Bytes have a logarithmic axis. `machine` is for the title; it may be empty.
std::string plot_script(const results::Record& record, const results::Series& series, const std::string& machine);

// Error{missing_tool} with what to install if there is no gnuplot: to check before a long measurement.
void require_gnuplot();

// Draws each series of the records that has points on axes, as <probe>.svg, or <probe>-<series>.svg if a probe has
// several, into `folder` (created if missing). Returns the files. Error{missing_tool} if there is no gnuplot, or if it
// fails; Error{storage} if a file cannot be written.
std::vector<std::filesystem::path> write_plots(const std::filesystem::path& folder,
                                               const std::vector<results::Record>& records,
                                               const std::vector<results::Run>& runs);

// Draws the memory hierarchy that the records' facts describe (pages/memory_map.h) as memory.svg into `folder`.
// Returns the file, or nothing if the facts describe no memory; the errors of write_plots.
std::vector<std::filesystem::path> write_memory_plot(const std::filesystem::path& folder,
                                                     const std::vector<results::Record>& records,
                                                     const std::vector<results::Run>& runs);

}  // namespace ptxlat::pages
