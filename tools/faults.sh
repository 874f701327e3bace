#!/usr/bin/env bash
# Injects faults into whole runs of ptxlat on the stand-in driver (tests/faults): processes killed and stopped, full disks,
# damaged stores, broken tools, errors of the driver, lost GPUs. Each case is a run with one fault, and the same command
# again, which must give the undisturbed table, measure no finished cell twice and leave no files behind. Builds in
# build/release first.
#   tools/faults.sh [OPTION...]
#     --count N   cases (1000); CI runs 100
#     --seed S    of all cases (1)
#     --case N    only this one, as a failure names it
#     --only KIND, --jobs N, --verbose
# With PTXLAT_BIN, the program in that folder and the libraries in ../tests are used and nothing is built.
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

fetch_missing
if [[ ! -v PTXLAT_BIN ]]; then
  build release ptxlat ptxlat_standin_cuda ptxlat_faulty_driver ptxlat_faulty_system
  PTXLAT_BIN=$root/build/release/bin
fi
libraries=$(dirname "$PTXLAT_BIN")/tests
exec python3 "$root/tests/faults/campaign.py" --program "$PTXLAT_BIN/ptxlat" \
  --standin "$libraries/libptxlat_standin_cuda.so" --driver "$libraries/libptxlat_faulty_driver.so" \
  --system "$libraries/libptxlat_faulty_system.so" "$@"
