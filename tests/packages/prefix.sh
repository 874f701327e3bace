#!/usr/bin/env bash
# Installs the build into a temporary prefix and uses it there.
#   tests/packages/prefix.sh CMAKE BUILD_FOLDER
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
"$1" --install "$2" --prefix "$prefix" >/dev/null

fail() {
  echo "FAILED: $*"
  exit 1
}

# The catalogue beside the program and no other: the folder is moved, and nothing points to the sources.
mv "$prefix" "$prefix.moved"
prefix=$prefix.moved
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd /
unset PTXLAT_TEMPLATES PTXLAT_TOOLKITS
program=$prefix/bin/ptxlat
[[ $("$program" list --filter add.u32) == *"  add.u32 "* ]] || fail "list finds no add.u32"
# It ends with 5 where there is no assembler.
found=$("$program" doctor 2>&1 || true)
[[ $found == *"forms in $prefix/share/ptxlat/ptx_templates"* ]] || fail "doctor names another catalogue"
if [[ -d $root/toolkits ]]; then
  ln -s "$root/toolkits" "$prefix/share/ptxlat/toolkits"
  found=$("$program" doctor 2>&1 || true)
  [[ $found == *"toolkit     $prefix/share/ptxlat/toolkits/"* ]] || fail "doctor does not find share/ptxlat/toolkits"
fi
"$program" list --filter fma.rn.f32 --table "$prefix/share/ptxlat/tables/sm_90a/static/ptxas-13.0.88" |
  grep -q fma.rn.f32 || fail "a table is not read"
for file in share/man/man1/ptxlat.1 share/bash-completion/completions/ptxlat share/zsh/vendor-completions/_ptxlat \
  share/fish/vendor_completions.d/ptxlat.fish share/ptxlat/tables/LICENSE share/ptxlat/tools/toolkits.sh \
  share/ptxlat/ptx_templates/reproducer/reproduce.c share/ptxlat/site/index.html \
  share/ptxlat/simulators/accel-sim.toml share/doc/ptxlat/copyright; do
  [[ -s $prefix/$file ]] || fail "$file is missing"
done
"$prefix/share/ptxlat/tools/toolkits.sh" --help | grep -q VERSION || fail "toolkits.sh --help"
"$prefix/share/ptxlat/tools/slurm/submit.sh" --help | grep -q SHARDS || fail "submit.sh --help"
bash -n "$prefix/share/bash-completion/completions/ptxlat"
if command -v man >/dev/null; then
  [[ $(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings "$prefix/share/man/man1/ptxlat.1" 2>&1 >/dev/null) == "" ]] || fail "man page"
fi
