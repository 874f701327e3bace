#!/usr/bin/env bash
# Makes docs/seeds.md from docs/seed_items.tsv: for each table, figure, listing and claim of the papers that ptxlat began with,
# the command that reproduces it today and the result. The first line of the tsv lists the finished issues, separated by "; ";
# every item of such an issue must have both.
#   tools/make_seeds.sh [--check] [FOLDER]   FOLDER has the two files; default docs
#     --check  writes nothing; exits with 1 if seeds.md does not match the tsv
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

check=
if [[ ${1:-} == --check ]]; then
  check=1
  shift
fi
folder=${1:-$root/docs}
items=$folder/seed_items.tsv
page=$folder/seeds.md

made=$(mktemp)
trap 'rm -f "$made"' EXIT

awk -F '\t' '
  function complain(what) {
    printf "error: %s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
    has_error = 1
  }
  function field(text) {
    gsub(/\|/, "\\|", text)
    return text == "" ? "" : " " text
  }
  NR == 1 {
    if (!sub(/^# finished: ?/, "")) complain("the first line is \"# finished: ISSUE; ISSUE\"")
    count = split($0, names, /; */)
    for (i = 1; i <= count; ++i) finished[names[i]] = 1
    print "# The papers, item by item\n"
    print "This page lists every table, figure, listing and claim of the papers that ptxlat began with: the issue that it belongs\n" \
          "to, the command that reproduces it on a GPU or on a simulated machine, and the result. Commands that begin with\n" \
          "`test_infer` (`build/release/bin/test_infer`) simulate the machines of the papers. An item without a command is not\n" \
          "done yet.\n"
    print "`tools/make_seeds.sh` makes this page from `seed_items.tsv`: edit that file."
    next
  }
  NR == 2 {
    if ($0 != "seed\titem\twhat\tissue\tcommand\tresult") complain("the second line is not the columns\47 names")
    next
  }
  NF != 6 { complain("has " NF " columns and not 6") }
  {
    known[$4] = 1
    if ($4 in finished && $5 == "") complain($1 ", " $2 ": has no command, and \"" $4 "\" is finished")
    if ($4 in finished && $6 == "") complain($1 ", " $2 ": has no result, and \"" $4 "\" is finished")
    if ($1 != seed) {
      seed = $1
      printf "\n## %s\n\n| item | what | issue | command | result |\n|---|---|---|---|---|\n", seed
    }
    printf "|%s |%s |%s |%s |%s |\n", field($2), field($3), field($4), field($5 == "" ? "" : "`" $5 "`"), field($6)
  }
  END {
    for (name in finished) if (!(name in known)) complain("no item is of the finished issue \"" name "\"")
    exit has_error
  }
' "$items" >"$made" || die "$items is malformed"

if [[ -z $check ]]; then
  install -m 644 "$made" "$page"
elif ! diff -u "$page" "$made" >&2; then
  die "$page does not match $items: run tools/make_seeds.sh"
fi
