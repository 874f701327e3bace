// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "probe/points.h"
#include "probe/probe.h"
#include "ptx/readout.h"
#include "results/record.h"
#include "sass/audit.h"
#include "sass/window.h"

namespace ptxlat::probe {

// How a point of a probe becomes values. A new reader is a line of readers(), and a row in docs/probes.md.
//   reads_one  whether only the first CTA's words are read
//   axes       that it adds to the series: `word` has the names of the probe's words
//   width      how many values a point has
//   values     of a readout with at least one launch; null if the machine code says it
//   of_code    of the window's machine code, regardless of the launch; null if it needs the readout
using Values = std::vector<std::optional<double>>;
struct Reader {
  std::string_view name;
  bool reads_one = false;
  std::vector<std::string_view> axes = {};
  std::size_t (*width)(const Probe& probe, const Point& point) = nullptr;
  Values (*values)(const Point& point, const ptx::Readout& readout) = nullptr;
  int (*of_code)(const sass::Window& window) = nullptr;
};
const std::vector<Reader>& readers();
// Null if there is none of this name.
const Reader* find_reader(std::string_view name);

// The values of one point's readout: one value, or for a time-line one for each thread and word.
std::vector<std::optional<double>> values_of(const Probe& probe, const Point& point, const ptx::Readout& readout);

// How many different scoreboards the instructions of a window set.
int scoreboards_of(const sass::Window& window);

// The probe's series from the values of all its points (an empty list for a point without values). A time-line has the
// additional axes `thread` and `word`, as long as the longest point's.
results::Series series_of(const Probe& probe, const std::vector<std::vector<std::optional<double>>>& values,
                          const std::vector<Point>& points);

// The part of an earlier series that the current probe would also make. Empty if it has different axes.
std::optional<results::Series> part_of(const Probe& probe, const results::Series& series);

// Whether the window has the opcodes that the probe's file specifies: exactly this many of each, and in addition only
// the named ones, or any except the excluded ones. Modifiers count if the file names them; clock reads belong to the
// window. `contaminated` with the opcode otherwise, `elided` if one is missing.
sass::Audit audit(const Probe& probe, const Point& point, const sass::Window& window);

}  // namespace ptxlat::probe
