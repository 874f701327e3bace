#!/usr/bin/env bash
# The latency table of this machine's GPU on stdout; without a GPU the static table at -O3, from the assembler's schedule.
# Installs and fetches what is missing, builds, runs; quick the second time.
#   tools/table.sh [OPTION...]   passed on to `ptxlat run` or `ptxlat static`, e.g. --filter 'fma.*' -O 0,3
# Its files are in build/tables/, below the folder in which it is called.
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/tools/setup.sh"
fetch_missing
build release ptxlat

# Not into tables/: what is committed there is what the tests know.
tables=(--tables build/tables) target=(--target sm_90)
levels=(-O 3) # without a GPU: all would take a quarter of an hour on two cores
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

say "No NVIDIA driver and device here: this is what the assembler's schedule says at -O3, not a measurement."
exec "$root/build/release/bin/ptxlat" static "${tables[@]}" "${target[@]}" "${levels[@]}" "$@"
