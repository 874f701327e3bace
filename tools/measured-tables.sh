#!/usr/bin/env bash
# Makes the measured tables of tables/ again: of the driver whole, of every CUDA version in brief, and what changed between the
# versions, docs/findings/cuda-versions.md. In two steps, for a GPU's machine that has no toolkits and cannot fetch any:
#   tools/measured-tables.sh assemble FILE [OPTION...]   anywhere: a bundle of all versions; an hour on two cores
#   tools/measured-tables.sh run FILE [OPTION...]        where the GPU is: minutes
# OPTIONs choose a part, as for `ptxlat run`. $PTXLAT names a program that is built already: then nothing is built or installed.
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

(($# >= 2)) || die "usage: tools/measured-tables.sh assemble|run FILE [OPTION...]"
step=$1 bundle=$(realpath -m "$2")
options=("${@:3}")
cd "$root"

program=${PTXLAT:-build/release/bin/ptxlat}
if [[ -z ${PTXLAT:-} ]]; then
  tools/setup.sh
  build release ptxlat
fi

assemble_bundle() {
  local versions=(11.8 12.0 12.3 12.4 12.6 12.8 12.9 13.0) # a driver takes cubins of its own CUDA version and older ones
  local chapters=('integer arithmetic' extended 'floating point' half-precision 'comparison and sel' 'logic and shift'
    conversion 'CUDA C') chapter arguments=()
  [[ -n ${PTXLAT:-} ]] || tools/toolkits.sh "${versions[@]}"
  for chapter in "${chapters[@]}"; do arguments+=(--chapter "$chapter"); done
  "$program" assemble --target sm_90a --toolchain "$(IFS=, && echo "${versions[*]/#/ptxas-}")" \
    "${arguments[@]}" "${options[@]}" -o "$bundle"
}

# Each into build/measured/, with all of its machine code, and from the same store again in brief: eight tables of 15 MB are
# more than a repository should carry.
run_bundle() {
  "$program" run --bundle "$bundle" --store build/measured.sqlite --tables build/measured --format none "${options[@]}"
  "$program" run --bundle "$bundle" --store build/measured.sqlite --tables tables --brief --format none "${options[@]}"
  mkdir -p docs/findings
  "$program" compare --by toolchain --format findings "build/measured/sm_*/*/ptxas-*" >docs/findings/cuda-versions.md
}

# Twice, each in a store of its own: two runs must agree.
run_driver() {
  "$program" run --store build/driver.sqlite --format none "${options[@]}"
  "$program" run --store build/driver-again.sqlite --tables build/again --format none "${options[@]}"
  local table
  for table in build/again/sm_*/*/driver-*; do
    say "two runs, ${table#build/again/}:"
    "$program" compare --rows 20 "tables/${table#build/again/}" "$table" >&2
  done
}

case $step in
  assemble) assemble_bundle ;;
  run) run_driver && run_bundle ;;
  *) die "'$step' is neither assemble nor run" ;;
esac
