#!/usr/bin/env bash
# Static analysis with clang-tidy, of all files of src/ or of some. All take 3 minutes on two cores.
#   tools/tidy.sh [FILE...]
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# Debian's clang-tidy takes three times as long: it also looks for mistakes in the headers of the system.
tidy=build/clang-tidy options=(-extra-arg=-Wno-unknown-warning-option -extra-arg=-Wno-deprecated-declarations)
[[ -d $tidy ]] || python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps \
  --target "$tidy" clang-tidy==23.1.4
# Only for compile_commands.json: clang-tidy reads the sources, not the objects. It does not know GCC's warnings, and
# GCC's precompiled headers are not for it.
cmake --preset ci -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DPTXLAT_UNITY=OFF --log-level=WARNING >&2
files=("$@")
((${#files[@]})) || mapfile -d '' files < <(find src -name '*.cpp' -print0)
((${#files[@]})) || die "src has no file"
printf '%s\0' "${files[@]}" |
  xargs -0 -P "$(nproc)" -n 8 "$tidy/clang_tidy/data/bin/clang-tidy" -quiet -p build/tidy "${options[@]}" 2>/dev/null
