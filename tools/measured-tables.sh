#!/usr/bin/env bash
# Makes the measured tables in tables/ again: all forms with the driver, arithmetic, data movement and CUDA C with every
# CUDA version, and docs/findings/cuda-versions.md with the changes between the versions. It has two steps, because a
# GPU machine may have no toolkits and no network:
#   tools/measured-tables.sh assemble FOLDER [OPTION...]   on any machine: two bundles of all versions; half an hour on two cores
#   tools/measured-tables.sh run FOLDER [OPTION...]        on the GPU machine: minutes
# OPTIONs select a part, as for `ptxlat run`. $PTXLAT names a program that is already built: then nothing is built or
# installed.
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

(($# >= 2)) || die "usage: tools/measured-tables.sh assemble|run FOLDER [OPTION...]"
step=$1 folder=$(realpath -m "$2")
options=("${@:3}")
cd "$root"

program=${PTXLAT:-build/release/bin/ptxlat}
if [[ -z ${PTXLAT:-} ]]; then
  tools/setup.sh
  build release ptxlat
fi

# bundle FILE OPTION...: with all versions.
bundle() {
  local versions=(11.8 12.0 12.3 12.4 12.6 12.8 12.9 13.0) # a driver accepts cubins of its own CUDA version and older ones
  [[ -n ${PTXLAT:-} ]] || tools/toolkits.sh "${versions[@]}"
  "$program" assemble --target sm_90a --toolchain "$(IFS=, && echo "${versions[*]/#/ptxas-}")" "${@:2}" \
    "${options[@]}" -o "$folder/$1"
}

# Arithmetic and data movement at every level; CUDA C functions, whose code is long, at one.
make_bundles() {
  mkdir -p "$folder"
  bundle instructions.bundle --chapter 'integer arithmetic' --chapter extended --chapter 'floating point' \
    --chapter half-precision --chapter 'comparison and sel' --chapter 'logic and shift' --chapter conversion
  bundle functions.bundle --chapter 'CUDA C' -O 3
}

# Each into build/measured/ with all of its machine code, and again from the same store with only that of the headlines.
run_bundles() {
  local file gpu
  for file in "$folder"/*.bundle; do
    "$program" run --bundle "$file" --store build/measured.sqlite --tables build/measured --format none "${options[@]}"
    "$program" run --bundle "$file" --store build/measured.sqlite --tables tables --replace --headline-code --format none "${options[@]}"
  done
  for gpu in tables/sm_*/nvidia-*; do
    rm -f "$gpu"/ptxas-*/latency.md # `ptxlat list --table` prints the same
    pack_versions "$gpu"
  done
  mkdir -p docs/findings
  "$program" compare --by toolchain --steps --format csv "build/measured/sm_*/*/ptxas-*" |
    gzip -9n >docs/findings/cuda-versions.csv.gz
  tools/findings.py docs/findings/cuda-versions.csv.gz >docs/findings/cuda-versions.md
}

# All forms, and the core once more in a separate store: two runs must agree.
run_driver() {
  "$program" run --all --headline-code --store build/driver.sqlite --tables tables --replace --format none "${options[@]}"
  "$program" run --store build/driver-again.sqlite --tables build/again --format none "${options[@]}"
  local table
  for table in build/again/sm_*/*/driver-*; do
    say "two runs, ${table#build/again/}:"
    "$program" compare --rows 20 "tables/${table#build/again/}" "$table" >&2
    pack_table "tables/${table#build/again/}"
  done
}

mkdir -p build
case $step in
  assemble) make_bundles ;;
  run) run_driver && run_bundles ;;
  *) die "'$step' is neither assemble nor run" ;;
esac
