#!/usr/bin/env bash
# Runs ptxlat for hours and watches its memory, descriptors and threads (tests/faults/soak.py): short commands on a small
# selection, some of which are killed and begun again, and then a whole table with `run --all`, `opcodes` and `pairs`,
# which are killed now and then and go on. Ends with 1 if a process held too much, a command failed or a killed one left
# something behind. SIGTERM ends it as if the time were over. Builds in build/release first.
#   tools/soak.sh SECONDS FOLDER [OPTION...]
#     SECONDS      of all parts together
#     FOLDER       for samples.csv and verdict.txt; the stores and tables of the soak are removed
#     --seed S     of the commands' order and the kills (1)
#     --long SHARE of the time is the whole table's (0.6)
#     --standin    on the stand-in driver instead of a GPU
# With PTXLAT_BIN, the program in that folder is used and nothing is built.
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

fetch_missing
if [[ ! -v PTXLAT_BIN ]]; then
  build release ptxlat ptxlat_standin_cuda
  PTXLAT_BIN=$root/build/release/bin
fi
options=()
for argument in "$@"; do
  case $argument in
    --standin) options+=(--standin "$(dirname "$PTXLAT_BIN")/tests/libptxlat_standin_cuda.so") ;;
    *) options+=("$argument") ;;
  esac
done
exec python3 "$root/tests/faults/soak.py" --program "$PTXLAT_BIN/ptxlat" "${options[@]}"
