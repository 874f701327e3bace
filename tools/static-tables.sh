#!/usr/bin/env bash
# Makes the static tables in tables/<sm>/static/ again. For common architectures: the core, including memory and
# matrices, at -O0 and -O3, with the machine code of its headlines. For all others from Maxwell on: brief tables of
# scalar arithmetic at every level. For sm_90 those of every version, and the changes between them (docs/findings/).
# Uses the newest ptxas that schedules -O0, if one knows the target. Takes an hour and a half on two cores; rerun it to
# resume after an interruption.
#   tools/static-tables.sh [TARGET...]   sm_80 sm_90a …; default all
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

newest=(13.0 12.9 13.5) # at -O0 ptxas 13.5 leaves every wait to the hardware; CUDA 13 dropped everything older than Turing
owned=(sm_75 sm_80 sm_86 sm_89 sm_90a sm_100a sm_103a sm_120a)
every=(11.8 12.0 12.3 12.4 12.6 12.8 12.9 13.0 13.5)
chapters=('integer arithmetic' extended 'floating point' half-precision 'comparison and sel' 'logic and shift')

"$root/tools/setup.sh" zstd
"$root/tools/toolkits.sh" "${every[@]}"
build release ptxlat
cd "$root"

declare -A known
for version in "${every[@]}"; do
  known[$version]=$("toolkits/$version/bin/ptxas" --help | grep -oE "'sm_[0-9]+[af]?'" | tr -d "'" | sort -uV)
done
knows() { grep -qx "$2" <<<"${known[$1]}"; }

# table TARGET VERSION OPTION...
table() {
  say "$1, ptxas $2"
  build/release/bin/ptxlat static --target "$1" --toolchain "ptxas-$2" "${@:3}" --store build/static-tables.sqlite --format none \
    --tables tables --replace
}

brief=(--brief)
for chapter in "${chapters[@]}"; do brief+=(--chapter "$chapter"); done

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
    for version in "${every[@]}"; do table "$target" "$version" -O 0,3 "${brief[@]}"; done
    mkdir -p docs/findings
    build/release/bin/ptxlat compare --by toolchain --steps --format csv 'tables/sm_90/static/ptxas-*' |
      gzip -9n >docs/findings/cuda-versions-static.csv.gz
    tools/findings.py docs/findings/cuda-versions-static.csv.gz >docs/findings/cuda-versions-static.md
  elif [[ " ${owned[*]} " == *" $target "* ]]; then
    table "$target" "$(newest_of "$target" "${newest[@]}")" -O 0,3 --headline-code
  else
    table "$target" "$(newest_of "$target" "${newest[@]}")" -O 0,1,2,3 "${brief[@]}"
  fi
done
for folder in tables/*/static/*; do
  rm -f "$folder/latency.md" # `ptxlat list --table` prints the same, and all of tables/ may have 35 MB
  pack_table "$folder"
done
