#pragma once

#include <optional>
#include <vector>

#include "kernel/readout.h"
#include "probe/points.h"
#include "probe/probe.h"
#include "results/record.h"
#include "sass/window.h"

namespace ptxlat::probe {

// What one point's readout says, as docs/probes.md defines the readers: one value, or for a time-line one for each
// thread and word.
std::vector<std::optional<double>> values_of(const Probe& probe, const Point& point, const kernel::Readout& readout);

// How many different scoreboards the instructions of a window set.
int scoreboards_of(const sass::Window& window);

// The probe's series out of the values of all its points (an empty list for a point that has none). A time-line has the
// further axes `thread` and `word`, as long as the longest point's.
results::Series series_of(const Probe& probe, const std::vector<std::vector<std::optional<double>>>& values,
                          const std::vector<Point>& points);

// The part of a series that was made earlier which today's probe would make too. Empty where it has other axes.
std::optional<results::Series> part_of(const Probe& probe, const results::Series& series);

}  // namespace ptxlat::probe
