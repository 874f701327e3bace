#!/usr/bin/env bash
# Shows the effect of a changed audit or estimate rule: makes the cells of tests/replay/forms.txt (about 450 core forms,
# a few of each opcode; sm_90a, ptxas 13.0, -O0 to -O3) without a GPU and prints those whose verdict, reason or schedule
# differ from tests/replay/verdicts.tsv.gz. The first run assembles them into a bundle, which takes about a minute on
# two cores; later runs take seconds. Exits with 1 if any cell differs.
#   tools/replay.sh [--fresh] [--accept]
#     --fresh   assembles again: after a change of the catalogue or of the skeletons
#     --accept  makes the current result the reference
# With PTXLAT_BIN, the programs in that folder are used and nothing is built or downloaded.
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

toolchain=ptxas-13.0.88
folder=$root/tests/replay
fresh=
accept=
for argument in "$@"; do
  case $argument in
    --fresh) fresh=1 ;;
    --accept) accept=1 ;;
    *) die "unknown option: $argument" ;;
  esac
done

if [[ ! -v PTXLAT_BIN ]]; then
  "$root/tools/toolkits.sh" 13.0
  build release ptxlat replay
  PTXLAT_BIN=$root/build/release/bin
elif [[ ! -x $toolkits/13.0/bin/ptxas ]] || ! has_tool nvdisasm; then
  say "skipped: no ptxas 13.0 or no nvdisasm (tools/toolkits.sh downloads them)"
  exit 77
fi

bundle=$PTXLAT_BIN/../replay.bundle
[[ -z $fresh ]] || rm -f "$bundle" "$bundle.part"
if [[ ! -e $bundle ]]; then
  filters=()
  while read -r form; do filters+=(--filter "$form"); done <"$folder/forms.txt"
  "$PTXLAT_BIN/ptxlat" assemble --target sm_90a --toolchain "$toolchain" "${filters[@]}" -o "$bundle"
fi
if [[ -n $accept ]]; then
  "$PTXLAT_BIN/replay" "$bundle" | gzip -9n >"$folder/verdicts.new"
  mv "$folder/verdicts.new" "$folder/verdicts.tsv.gz"
  say "$folder/verdicts.tsv.gz"
else
  exec "$PTXLAT_BIN/replay" "$bundle" "$folder/verdicts.tsv.gz"
fi
