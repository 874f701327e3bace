#!/usr/bin/env bash
# Prints the latency table of this machine's GPU; without a GPU the static table at -O3, from the assembler's schedule.
# Installs and downloads what is missing, builds and runs; later runs start fast.
#   tools/table.sh [OPTION...]   passed on to `ptxlat run` or `ptxlat static`, e.g. --filter 'fma.*' -O 0,3
# The files are in build/tables/ under the current folder.
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/tools/setup.sh"
fetch_missing
build release ptxlat

# Not into tables/: the tests depend on the tables committed there.
tables=(--tables build/tables) target=(--target sm_90)
levels=(-O 3) # without a GPU: all levels would take a quarter of an hour on two cores
for argument in "$@"; do
  case $argument in
    --tables | --tables=*) tables=() ;;
    --target | --target=*) target=() ;;
    -O* | --levels | --levels=*) levels=() ;;
  esac
done

if has_gpu; then
  exec "$root/build/release/bin/ptxlat" run "${tables[@]}" "$@"
fi

say "No NVIDIA driver and device were found: these numbers come from the assembler's schedule at -O3 and are not measured."
exec "$root/build/release/bin/ptxlat" static "${tables[@]}" "${target[@]}" "${levels[@]}" "$@"
