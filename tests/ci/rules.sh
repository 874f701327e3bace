#!/usr/bin/env bash
# What .ci/run calls a failure, with checks of this test's own.
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
script=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.ci/run

fail() {
  echo "FAILED: $*"
  exit 1
}

# Functions as the end of .ci/run is: with a budget for `a` and for `b`.
all_pass() { check a true && check b echo words; }
one_fails() { check a false && check b true; }
one_is_too_late() {
  check a true
  checked=30 limit=20
  check b true
}
one_is_forgotten() { check a true; }
one_needs_a_gpu() {
  check a printf 'The following tests did not run:\n\t  9 - gpu: a real device, memory (Skipped)\n'
  check b true
}
one_is_skipped() {
  check a printf 'The following tests did not run:\n\t  7 - site: in a browser (Skipped)\n'
  check b true
}

# expect FUNCTION PATTERN: what .ci/run would print, and its exit status.
expect() {
  local said
  said=$(
    # shellcheck source=.ci/run
    source "$script"
    # shellcheck disable=SC2034 # .ci/run uses it
    declare -A budget=([a]=10 [b]=10)
    # shellcheck disable=SC2034 # likewise
    wanted=(a b)
    "$1"
    verdict && echo "status 0" || echo "status $?"
  )
  # shellcheck disable=SC2053 # a pattern
  [[ $said == $2 ]] || fail "$1: $said"
}
expect all_pass '*a *passed*b *passed*status 0'
expect one_needs_a_gpu '*a *passed*b *passed*status 0'
expect one_fails '*a *FAILED*b *passed*FAILED: a*status 1'
expect one_is_too_late '*b *NOT RUN: this host is too slow*FAILED: b*status 1'
expect one_is_forgotten '*b *NOT RUN: nothing runs it*FAILED: b*status 1'
expect one_is_skipped '*a *FAILED: tests were skipped*FAILED: a*status 1'

# CI ends a run after 90 minutes.
(
  # shellcheck source=.ci/run
  source "$script"
  for part in core further; do
    declare -n names=$part
    sum=0
    for name in "${names[@]}"; do sum=$((sum + budget[$name])); done
    ((sum < limit && limit < 5400)) || fail "the budgets of $part are $sum s, and the limit is $limit s"
  done
)
