#!/usr/bin/env bash
# Makes the static tables in tables/<sm>/static/ again: for each architecture from Maxwell on, the scalar arithmetic at -O3 as
# the newest ptxas that knows it schedules it and, to compare with, as CUDA 11.8's did; at -O0 as the newest does that
# schedules such code; for sm_90 every version, and what changed between them (docs/findings/). An hour on two cores;
# called again after an interruption it goes on.
#   tools/static-tables.sh [TARGET...]   sm_80 sm_90a …; default all
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

oldest=11.8
newest=(13.5 12.9)      # CUDA 13 has left Maxwell, Pascal and Volta behind
unoptimised=(13.0 12.9) # at -O0 ptxas 13.5 leaves every wait to the hardware
every=("$oldest" 12.0 12.3 12.4 12.6 12.8 12.9 13.0 13.5)
chapters=('integer arithmetic' extended 'floating point' half-precision 'comparison and sel' 'logic and shift')

"$root/tools/setup.sh"
"$root/tools/toolkits.sh" "${every[@]}"
build release ptxlat
cd "$root"

declare -A known
for version in "${every[@]}"; do
  known[$version]=$("toolkits/$version/bin/ptxas" --help | grep -oE "'sm_[0-9]+[af]?'" | tr -d "'" | sort -uV)
done
knows() { grep -qx "$2" <<<"${known[$1]}"; }

# table TARGET VERSION LEVELS
table() {
  local options=()
  for chapter in "${chapters[@]}"; do options+=(--chapter "$chapter"); done
  say "$1, ptxas $2"
  build/release/bin/ptxlat static --brief --target "$1" --toolchain "ptxas-$2" -O "$3" "${options[@]}" \
    --store build/static-tables.sqlite --format none
}

wanted=("$@")
((${#wanted[@]})) || mapfile -t wanted < <(printf '%s\n' "${known[@]}" | grep -v 'sm_3' | sort -uV)
# newest_of TARGET VERSION...: the first of these that knows it.
newest_of() {
  local version
  for version in "${@:2}"; do
    if knows "$version" "$1"; then
      echo "$version"
      return
    fi
  done
}

for target in "${wanted[@]}"; do
  if [[ $target == sm_90 ]]; then
    for version in "${every[@]}"; do table "$target" "$version" 0,3; done
    mkdir -p docs/findings
    build/release/bin/ptxlat compare --by toolchain --format findings 'tables/sm_90/static/ptxas-*' \
      >docs/findings/cuda-versions-static.md
    continue
  fi
  table "$target" "$(newest_of "$target" "${newest[@]}")" 3
  version=$(newest_of "$target" "${unoptimised[@]}")
  if [[ -n $version ]]; then table "$target" "$version" 0; fi
  if knows "$oldest" "$target"; then table "$target" "$oldest" 3; fi
done
find tables -path '*/static/*' -name latency.csv -exec gzip -9nf {} +
