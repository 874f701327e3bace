#!/usr/bin/env bash
# Brings the pieces of a CUDA toolkit that ptxlat uses into toolkits/<version>/, from NVIDIA's Python wheels and without
# installing anything: ptxas, libnvJitLink and, once for all versions, nvdisasm.
#   tools/fetch_cuda.sh [VERSION]   11.8, 12.0 … 12.9, 13.0 …; default 13.0
# $PTXLAT_TOOLKITS names another folder than toolkits/. What is there already is not fetched again.
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

version=${1:-13.0}
[[ $version =~ ^[0-9]+\.[0-9]+$ ]] || die "'$version' is not a CUDA version like 13.0 or 12.4"

# The wheels of one version. The default is pinned, so that everyone's first table is from the same assembler.
case $version in
  13.0) nvcc=nvidia-cuda-nvcc==13.0.88 nvjitlink=nvidia-nvjitlink==13.0.88 ;;
  11.*) nvcc="nvidia-cuda-nvcc-cu11==$version.*" nvjitlink= ;; # nvJitLink came with CUDA 12.0
  12.*) nvcc="nvidia-cuda-nvcc-cu12==$version.*" nvjitlink="nvidia-nvjitlink-cu12==$version.*" ;;
  *) nvcc="nvidia-cuda-nvcc==$version.*" nvjitlink="nvidia-nvjitlink==$version.*" ;;
esac
# The oldest wheel of its kind; it reads the cubins of older toolkits too.
nvdisasm=nvidia-cuda-nvdisasm==13.2.78 nvdisasm_version=13.2

case $(uname -m) in
  x86_64 | aarch64) ;;
  *) die "NVIDIA has no CUDA wheels for $(uname -m), only for x86_64 and aarch64" ;;
esac

work=
trap '[[ -z $work ]] || rm -rf "$work"' EXIT

# A pip that can download: the machine's, or one in a throw-away environment. `pip download` is allowed also where the
# distribution forbids `pip install`.
find_pip() {
  pip=(python3 -m pip)
  if "${pip[@]}" --version >/dev/null 2>&1; then return; fi
  pip=("$work/venv/bin/python3" -m pip)
  python3 -m venv "$work/venv" >/dev/null 2>&1 ||
    die "python3 has no pip; install the package python3-pip (tools/setup.sh does)"
}

# is_sound FILE: a program that states its version, or a library that can be loaded and does.
is_sound() {
  [[ -f $1 ]] || return 1
  if [[ $1 == *.so.* ]]; then
    # In a process of its own: a broken library may take its process down.
    python3 -c '
import ctypes, sys
major, minor = ctypes.c_uint(), ctypes.c_uint()
library = ctypes.CDLL(sys.argv[1])
# The symbol without a version suffix came with CUDA 12.1; loading is proof enough for 12.0.
if hasattr(library, "nvJitLinkVersion"):
    sys.exit(library.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor)))
' "$1" >/dev/null 2>&1
  else
    "$1" --version >/dev/null 2>&1
  fi
}

# fetch REQUIREMENT PATTERN FOLDER: the one file of a wheel whose path matches PATTERN, into FOLDER.
fetch() {
  local requirement=$1 pattern=$2 folder=$3 present file
  for present in "$folder"/$pattern; do
    if is_sound "$present"; then return; fi
  done
  say "Fetching ${requirement%%=*} ${requirement##*=} into $folder"
  mkdir -p "$folder"
  # Next to its destination, so that the last step is a rename: a file is there whole or not at all.
  work=$(mktemp -d "$folder/.partial-XXXXXX")
  find_pip
  "${pip[@]}" --quiet --disable-pip-version-check download --no-deps --no-cache-dir --only-binary :all: \
    --dest "$work" "$requirement" >&2 ||
    die "pip could not download $requirement; is there a network, and such a version for $(uname -m)?"
  file=$(python3 - "$work" "$pattern" <<'PYTHON'
import fnmatch, glob, os, shutil, sys, zipfile
work, pattern = sys.argv[1:]
wheel = zipfile.ZipFile(glob.glob(os.path.join(work, "*.whl"))[0])
name = next(n for n in wheel.namelist() if fnmatch.fnmatch(os.path.basename(n), pattern))
path = os.path.join(work, os.path.basename(name))
with wheel.open(name) as source, open(path, "wb") as target:
    shutil.copyfileobj(source, target)
os.chmod(path, 0o755)  # a wheel opened with zipfile loses the mode
print(path)
PYTHON
  ) || die "the wheel of $requirement could not be unpacked, or has no $pattern"
  is_sound "$file" || die "$(basename "$file") of $requirement does not run on this machine"
  mv "$file" "$folder/"
  rm -rf "$work"
  work=
}

fetch "$nvcc" ptxas "$toolkits/$version/bin"
[[ -z $nvjitlink ]] || fetch "$nvjitlink" 'libnvJitLink.so.*' "$toolkits/$version/lib"
fetch "$nvdisasm" nvdisasm "$toolkits/$nvdisasm_version/bin"
