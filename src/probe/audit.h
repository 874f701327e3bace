#pragma once

#include "probe/points.h"
#include "probe/probe.h"
#include "sass/audit.h"

namespace ptxlat::probe {

// Whether the window has the opcodes that the probe's file promises: exactly so many of each, and beside them none but
// the ones named, or any but those that are excluded. Modifiers count where the file names them; clock reads are the
// window's own. `contaminated` with the opcode otherwise, `elided` where one is missing.
sass::Audit audit(const Probe& probe, const Point& point, const sass::Window& window);

}  // namespace ptxlat::probe
