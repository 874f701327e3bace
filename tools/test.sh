#!/usr/bin/env bash
# Builds ptxlat with its tests and runs all except the slow ones, those with Slurm or a browser, and injected faults.
# Tests that need a GPU are reported as skipped without one. With the presets sanitize and threads, runs only the fast
# tests, unless LABELS are given, and fails if a sanitizer reported anything: also in a worker or a command that a test
# started, which the program or the test may survive. The reports are in build/PRESET/reports.
#   tools/test.sh [PRESET [LABELS]]
#     PRESET  of CMakePresets.json; default release
#     LABELS  a regular expression: builds every test and runs those with such a label
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=${1:-release}
labels=${2:-}
"$root/tools/setup.sh" gnuplot-nox
fetch_missing
# The referee of the catalogue, apart: everything else is tested with the default toolkit.
[[ -x $toolkits/newest/13.5/bin/ptxas ]] || PTXLAT_TOOLKITS=$toolkits/newest "$root/tools/toolkits.sh" 13.5
build "$preset" ${labels:+all}
cd "$root"
if [[ -z $labels ]]; then
  tests=(--preset "$preset" -LE '^(long|replay|slow|slurm|faults|site)$')
else
  tests=(--test-dir "build/$preset" --output-on-failure -j 2 -L "$labels")
fi
reports=$root/build/$preset/reports
if [[ $preset == sanitize || $preset == threads ]]; then
  rm -rf "$reports"
  mkdir "$reports"
  export ASAN_OPTIONS=log_path=$reports/address TSAN_OPTIONS=log_path=$reports/thread
  export UBSAN_OPTIONS=print_stacktrace=1:log_path=$reports/undefined
fi
status=0
ctest "${tests[@]}" --no-tests=error || status=$?
for report in "$reports"/*; do
  [[ -e $report ]] || break
  say "$report:"
  head -n 40 "$report" >&2
  status=1
done
exit "$status"
