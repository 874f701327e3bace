#!/usr/bin/env bash
# The latency table of this machine's GPU on stdout; without a GPU the static table at -O3, from the assembler's schedule.
# Installs and fetches what is missing, builds, runs; quick the second time.
#   tools/table.sh [OPTION...]   passed on to `ptxlat run` or `ptxlat static`, e.g. --filter 'fma.*' -O 0,3
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/tools/setup.sh"
fetch_missing
build release ptxlat

if has_gpu; then
  exec "$root/build/release/bin/ptxlat" run "$@"
fi

say "No NVIDIA driver and device here: this is what the assembler's schedule says at -O3, not a measurement."
target=(--target sm_90) levels=(-O 3) # all levels would take a quarter of an hour on two cores: -O 0,1,2,3
for argument in "$@"; do
  case $argument in
    --target | --target=*) target=() ;;
    -O* | --levels | --levels=*) levels=() ;;
  esac
done
exec "$root/build/release/bin/ptxlat" static "${target[@]}" "${levels[@]}" "$@"
