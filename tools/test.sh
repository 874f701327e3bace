#!/usr/bin/env bash
# Builds ptxlat with its tests and runs them. Tests that need a GPU are reported as skipped where there is none.
#   tools/test.sh [PRESET]   of CMakePresets.json; default release
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=${1:-release}
"$root/tools/setup.sh"
fetch_missing
build "$preset"
cd "$root"
exec ctest --preset "$preset" --output-on-failure --no-tests=error
