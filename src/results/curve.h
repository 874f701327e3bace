// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/record.h"

namespace ptxlat::results {

// Whether the series has one axis and a value for each of its places: in a file it may have any shape.
inline bool is_curve(const Series& series) { return series.axes.size() == 1 && !series.values.empty(); }

// Whether these places also have names.
inline bool is_named_curve(const Series& series) { return is_curve(series) && !series.axes.front().names.empty(); }

}  // namespace ptxlat::results
