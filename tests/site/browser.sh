#!/usr/bin/env bash
# Makes the site of the committed tables and uses it in a headless Chromium; 77 where there is none.
#   tests/site/browser.sh PROGRAM PLANTER [SITE]   ptxlat; test_compare; a site that was made before
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
program=$1
planter=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

skip() {
  echo "skipped: $*"
  exit 77
}
for tool in chromium chromedriver; do
  command -v "$tool" >/dev/null || skip "no $tool (packages chromium, chromium-driver, python3-selenium)"
done
[[ -e /usr/share/javascript/chart.js/chart.min.js ]] || skip "no Chart.js (package libjs-chart.js)"
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import selenium' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[[ -n $python ]] || skip "no python3 with selenium (package python3-selenium)"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
site=${3:-$folder/site}
# Two tables with planted differences, whose causes the site must find as the program does.
mkdir "$folder/planted"
PTXLAT_PLANTED=$folder/planted "$planter" "write planted tables" >/dev/null
"$program" report "$folder/planted" -o "$folder/planted-site"
# What the program finds between two cards: the site must find the same facts and opcodes.
for part in facts opcodes; do
  "$program" compare "$root"/tables/sm_90/nvidia-{h100-80gb-hbm3,h200}/driver-580.159.04 --format "$part" >"$folder/$part.csv"
done
export PTXLAT_COMPARED=$folder
export PTXLAT_PLANTED_SITE=$folder/planted-site PTXLAT_PLANTED_CAUSES=$folder/planted/causes.json
# A table of a stranger, whose texts would be scripts if they were read as HTML.
if (($# < 3)); then
  "$python" "$root/tests/site/hostile_table.py" "$folder/tables"
  "$program" report "$root/tables" "$folder/tables" -o "$site"
fi
PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tests/site/browser.py" "$site"
