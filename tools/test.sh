#!/usr/bin/env bash
# Builds ptxlat with its tests and runs all except the slow ones, those with Slurm or a browser, and injected faults.
# Tests that need a GPU are reported as skipped without one. With the presets sanitize and threads, runs only the fast
# tests.
#   tools/test.sh [PRESET]   of CMakePresets.json; default release
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=${1:-release}
"$root/tools/setup.sh" gnuplot-nox
fetch_missing
build "$preset"
cd "$root"
exec ctest --preset "$preset" --no-tests=error -LE '^(long|replay|slow|slurm|faults|site)$'
