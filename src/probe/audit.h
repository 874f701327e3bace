// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/points.h"
#include "probe/probe.h"
#include "sass/audit.h"

namespace ptxlat::probe {

// Whether the window has the opcodes that the probe's file specifies: exactly this many of each, and in addition only
// the named ones, or any except the excluded ones. Modifiers count if the file names them; clock reads belong to the
// window. `contaminated` with the opcode otherwise, `elided` if one is missing.
sass::Audit audit(const Probe& probe, const Point& point, const sass::Window& window);

}  // namespace ptxlat::probe
