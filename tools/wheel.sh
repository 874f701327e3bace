#!/usr/bin/env bash
# Makes a Python wheel in dist/, with the oldest tag that its program allows: manylinux_2_34 or older, from Debian 12.
#   tools/wheel.sh [x86_64|aarch64]   default: this machine's. The other one is cross-compiled; CONTRIBUTING.md has the
#                                     packages that it needs
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

arch=${1:-$(uname -m)}
made=$root/build/wheel-$arch
settings=(-C "build-dir=$made")
if [[ $arch != "$(uname -m)" ]]; then
  [[ $arch == aarch64 ]] || die "only aarch64 is cross-compiled, not $arch"
  settings+=(-C "cmake.define.CMAKE_TOOLCHAIN_FILE=$root/cmake/aarch64.cmake")
  export _PYTHON_HOST_PLATFORM=linux-$arch
fi

tools=$root/build/wheel-tools
[[ -x $tools/bin/auditwheel ]] || {
  python3 -m venv "$tools" && "$tools/bin/pip" install --quiet auditwheel wheel
} >&2
rm -rf "$made/dist"
python3 -m pip wheel --quiet --no-deps -w "$made/dist" "${settings[@]}" "$root" >&2
wheel=("$made"/dist/ptxlat-*.whl)

# "… consistent with the following platform tag: "manylinux_2_34_x86_64"."
tag=$("$tools/bin/auditwheel" show "${wheel[0]}" | tr '\n' ' ' | grep -oE '"(many)?linux_[a-z0-9_]+"' | head -n 1 | tr -d '"')
[[ $tag == manylinux_* ]] || die "auditwheel grants no manylinux tag: ${tag:-none}"
minor=$(sed -E 's/manylinux_2_([0-9]+)_.*/\1/' <<<"$tag")
((minor <= 34)) || die "the wheel needs glibc 2.$minor: something newer than 2.34 is linked (cmake/older_libc.cpp)"
"$tools/bin/python" -m wheel tags --remove --platform-tag "$tag" "${wheel[0]}" >&2
mkdir -p "$root/dist"
mv "$made"/dist/ptxlat-*.whl "$root/dist/"
ls "$root"/dist/ptxlat-*"$tag".whl
