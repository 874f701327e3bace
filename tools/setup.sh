#!/usr/bin/env bash
# Installs the packages for building ptxlat, on Debian 12, Ubuntu 24.04 and later.
#   tools/setup.sh [PACKAGE...]   additional packages to install
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(
  g++ cmake ninja-build catch2 libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev
  libsqlitecpp-dev libsqlite3-dev zlib1g-dev libzstd-dev libcereal-dev libeigen3-dev libxxhash-dev python3 "$@"
)
# Any pip will do; Debian's is only installed if there is none.
python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)

if ! command -v dpkg-query >/dev/null; then
  say "This system has no dpkg; setup.sh only supports Debian and Ubuntu. There it would install:"
  die "${packages[*]}"
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $state == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  # Without a terminal sudo cannot ask for a password, and must not wait for one.
  if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }; }; then
    as_root=(sudo)
  else
    say "These packages are missing, and installing them needs root or sudo:"
    die "apt-get install ${missing[*]}"
  fi
fi

say "Installing ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
{
  "${apt[@]}" update || say "apt-get update failed; trying with the existing package lists"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
} >&2 || die "apt-get could not install: ${missing[*]}"
