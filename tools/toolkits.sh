#!/usr/bin/env bash
# Downloads any versions of CUDA toolkits into toolkits/<version>/, without installing anything: ptxas, nvJitLink, NVRTC
# with the headers of its 16-bit types and, if available, nvdisasm, from NVIDIA's Python wheels.
#   tools/toolkits.sh [VERSION...]   11.8, 12.4, 12.4.99, …; `latest`; `all` of them; default 13.0
#   tools/toolkits.sh cupti          libcupti of 13.0, which reads hardware counters; always downloaded if there is a GPU
# $PTXLAT_TOOLKITS names a folder to use instead of toolkits/. Working pieces are not downloaded again.
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case $(uname -m) in
  x86_64 | aarch64) ;;
  *) die "NVIDIA has no CUDA wheels for $(uname -m), only for x86_64 and aarch64" ;;
esac

# One at a time, so that every unfinished download found is an abandoned one.
mkdir -p "$toolkits"
exec 9>"$toolkits/.lock"
flock -n 9 || { say "Waiting for a different tools/toolkits.sh that is running" && flock 9; }
rm -rf "$toolkits"/.partial-*
wheels=$root/tools/wheels.txt
work=$(mktemp -d "$toolkits/.partial-XXXXXX") # on the same disk as its destination: the last step is a rename
trap 'rm -rf "$work"' EXIT

# The interpreter itself, not a script that looks for it each time.
python=$(python3 -c 'import sys; print(sys.executable)')

# A pip that can download: the machine's, Debian's wheel of it (python3-pip-whl, without the compilers that python3-pip
# recommends), or one in a throw-away environment. `pip download` is allowed even if the distribution forbids `pip
# install`.
pip=()
find_pip() {
  ((${#pip[@]} == 0)) || return 0
  local found
  for found in "" /usr/share/python-wheels/pip-*.whl; do
    pip=(env "PYTHONPATH=$found" "$python" -m pip)
    "${pip[@]}" --version >/dev/null 2>&1 && break
    pip=()
  done
  if ((${#pip[@]} == 0)); then
    pip=("$work/venv/bin/python3" -m pip)
    "$python" -m venv "$work/venv" >/dev/null 2>&1 ||
      die "python3 has no pip; install the package python3-pip-whl"
  fi
  pip+=(--disable-pip-version-check)
}

# wheel PIECE VERSION: the wheel with a piece (nvcc, nvjitlink, nvrtc, runtime, nvdisasm) of a CUDA version, in pip's
# notation; empty if there is none. A version of two numbers means the release in tools/wheels.txt, or the newest if that
# has none; one of three exactly that release.
wheel() {
  local name release=$2
  case $1:$2 in
    nvdisasm:12.3) # Triton is an x86-64 program that includes the parts of CUDA that it needs
      [[ $(uname -m) != x86_64 ]] || echo triton==2.2.0
      return
      ;;
    # nvJitLink first appeared in CUDA 12.0, separate wheels of nvdisasm in 13.2.
    nvjitlink:11.* | nvdisasm:1[12].* | nvdisasm:13.[01]*) return ;;
    nvjitlink:12.*) name=nvidia-nvjitlink-cu12 ;;
    nvjitlink:*) name=nvidia-nvjitlink ;;
    *:11.*) name=nvidia-cuda-$1-cu11 ;;
    *:12.*) name=nvidia-cuda-$1-cu12 ;;
    *) name=nvidia-cuda-$1 ;;
  esac
  [[ $1 != runtime || $2 != *.*.* ]] || release=${2%.*} # its third number is different
  if [[ $release == *.*.* ]]; then
    echo "$name==$release"
  else
    grep -oE "^$name==${release//./\\.}\.[0-9]+" "$wheels" || echo "$name==$release.*"
  fi
}

# cuda_versions: all that have a ptxas, oldest first.
cuda_versions() {
  local name listing
  find_pip
  for name in nvidia-cuda-nvcc-cu11 nvidia-cuda-nvcc-cu12 nvidia-cuda-nvcc; do
    listing=$("${pip[@]}" index versions "$name" 2>/dev/null) || die "pip has no versions of $name; is there a network?"
    grep -oP 'Available versions: \K.*' <<<"$listing"
  done | grep -oE '[0-9]+\.[0-9]+\.' | sed 's/\.$//' | sort -uV
}

# is_of VERSION WANTED: 13.0.88 is of 13.0 and of 13.0.88.
is_of() { [[ $1 == "$2" || $1 == "$2".* ]]; }

# version_of FILE: the exact version of a piece that works and is of $version; of a header, that of the NVRTC in $folder
# that compiles it. The reason why it is unusable is left in $work/reason. In a separate process, which a broken library
# may take down.
version_of() {
  local found status=0
  found=$(timeout 120 "$python" "$root/tools/toolkit_piece.py" check "$1" "${folder:-}/lib" 2>"$work/reason") || status=$?
  if ((status > 123)); then
    echo "crashes or hangs (status $status)" >"$work/reason"
  elif ((status == 0)) && ! is_of "$found" "$version"; then
    echo "is of CUDA $found" >"$work/reason"
    status=1
  fi
  ((status == 0)) && echo "$found"
}

# download REQUIREMENT: its wheel into $work/files. pip compares the checksum with that in tools/wheels.txt, or with the
# index's if the wheel is not there; a second try if the connection breaks.
# Status 2 if the index has no such wheel, 3 if pip cannot download.
download() {
  local try options=() wanted=("$1")
  find_pip
  if grep "^$1 " "$wheels" >"$work/wheel.txt"; then wanted=(--require-hashes --requirement "$work/wheel.txt"); fi
  # A wheel for one Python can be unpacked by any other.
  [[ $1 != triton* ]] || options=(--python-version 3.11 --implementation cp --abi cp311 --platform manylinux_2_17_x86_64)
  say "Fetching ${1%%=*} ${1##*=}"
  for try in 1 2; do
    if "${pip[@]}" --quiet download --no-deps --no-cache-dir --only-binary :all: --dest "$work/files" "${options[@]}" \
      "${wanted[@]}" >"$work/pip.log" 2>&1; then
      return 0
    fi
    # If pip reaches its index, it lists the existing versions.
    if grep -q 'No matching distribution' "$work/pip.log" && ! grep -q 'from versions: none' "$work/pip.log"; then
      return 2
    fi
    ((try == 2)) || say "  failed; trying again"
  done
  cat "$work/pip.log" >&2
  return 3
}

# The system's own CUDA toolkit, if its sources include the section that has it (Debian: non-free, Ubuntu: multiverse).
packaged=$(LC_ALL=C apt-cache policy nvidia-cuda-toolkit 2>/dev/null | grep -oP 'Candidate: \K[0-9.]+' || true)

# download_package: this version's nvdisasm from the system's package into $work/files. Status 2 if that has a different
# version.
download_package() {
  is_of "$packaged" "$version" || return 2
  say "Fetching nvidia-cuda-toolkit $packaged, a package of this system, without installing it"
  (cd "$work/files" && apt-get -qq download nvidia-cuda-toolkit && dpkg -x ./*.deb . && rm ./*.deb &&
    find . -type f -path '*/bin/nvdisasm' -exec mv {} nvdisasm \; && rm -rf usr etc) >&2 && return
  echo "could not be taken from the package nvidia-cuda-toolkit" >"$work/reason"
  return 1
}

# get PIECE MAIN PATTERN FOLDER: downloads files that match PATTERN into FOLDER, if the file that matches MAIN works and
# is of $version, and prints its exact version. Status 2 if no such piece is available, 3 if pip cannot download;
# otherwise the reason is in $work/reason.
get() {
  local wanted file found
  rm -rf "$work/files"
  mkdir -p "$work/files"
  wanted=$(wheel "$1" "$version")
  if [[ -n $wanted ]]; then
    download "$wanted" || return
    "$python" "$root/tools/toolkit_piece.py" unpack "$work"/files/*.whl "$3" "$work/files" 2>"$work/reason" || return 1
    rm "$work"/files/*.whl
  elif [[ $1 == nvdisasm ]]; then
    download_package || return
  else
    return 2
  fi
  file=$(compgen -G "$work/files/$2" | head -n 1)
  found=$(version_of "$file") || return 1
  mkdir -p "$4"
  mv -f "$work"/files/* "$4/" # renames: a file is complete or missing
  echo "$found"
}

# piece TITLE PIECE MAIN PATTERN FOLDER: makes sure that a piece of $version is in FOLDER and records the result in
# $have, $lacks or $failed.
piece() {
  local file found status=0
  for file in "$5"/$3; do
    [[ -f $file ]] || continue
    if found=$(version_of "$file"); then
      have+=("$1 $found")
      return
    fi
    say "$file $(tail -n 1 "$work/reason"); fetching it again"
    rm -f "$file"
  done
  found=$(get "$2" "$3" "$4" "$5") || status=$?
  case $status in
    0) have+=("$1 $found") ;;
    2) lacks+=("$1") ;;
    3) die "pip could not download $(wheel "$2" "$version"); is there a network?" ;;
    *) failed+=("$1 of CUDA $version $(tail -n 1 "$work/reason")") ;;
  esac
}

join() { printf '%s' "$1${2:+$(printf ', %s' "${@:2}")}"; }

# toolkit VERSION: everything of one version, and a line that says what that is.
toolkit() {
  local version=$1 folder=$toolkits/$1 have=() lacks=()
  piece ptxas nvcc ptxas ptxas "$folder/bin"
  if [[ ${lacks[*]} == ptxas ]]; then
    failed+=("CUDA $version: no wheel has its ptxas; there are $(cuda_versions | paste -sd ' ')")
    return
  fi
  piece nvJitLink nvjitlink 'libnvJitLink.so.*' 'libnvJitLink.so.*' "$folder/lib"
  # Not the *.alt.* twins, which CUDA uses for static linking.
  piece NVRTC nvrtc 'libnvrtc.so.*' 'libnvrtc.so.*|libnvrtc-builtins.so.*' "$folder/lib"
  [[ " ${lacks[*]} " == *" NVRTC "* ]] || piece headers runtime cuda_bf16.h \
    'cuda_[bf][fp]16.h*|vector_types.h|vector_functions.h*' "$folder/include"
  piece nvdisasm nvdisasm nvdisasm nvdisasm "$folder/bin"
  ((${#have[@]} == 0)) || say "CUDA $version: $(join "${have[@]}")${lacks:+; not available: $(join "${lacks[@]}")}"
}

wanted=()
wants_cupti=
[[ ! -e /dev/nvidiactl ]] || wants_cupti=yes
for argument in "${@:-13.0}"; do
  case $argument in
    all) mapfile -t -O "${#wanted[@]}" wanted < <(cuda_versions) ;;
    cupti) wants_cupti=yes ;;
    latest) wanted+=("$(cuda_versions | tail -n 1)") ;;
    *)
      [[ $argument =~ ^[0-9]+\.[0-9]+(\.[0-9]+)?$ ]] || die "'$argument' is not a CUDA version like 13.0 or 12.4.99"
      wanted+=("$argument")
      ;;
  esac
done
[[ ${1:-} == cupti && $# == 1 ]] || { ((${#wanted[@]})) && [[ -n ${wanted[0]} ]]; } || exit 1

failed=()
for version in "${wanted[@]}"; do toolkit "$version"; done

# One nvdisasm is enough for all toolkits: it reads the instruction words of older ones, for sm_75 and newer. For older
# GPUs there is 12.3's.
version=13.5 have=() lacks=()
piece nvdisasm nvdisasm nvdisasm nvdisasm "$toolkits/13.5/bin"

# One libcupti, too, with the libraries that it opens.
if [[ -n $wants_cupti ]]; then
  version=13.0 have=() lacks=()
  piece CUPTI cupti 'libcupti.so.*' 'libcupti.so.*|libnvperf_host.so|libnvperf_target.so' "$toolkits/13.0/lib"
  ((${#have[@]} == 0)) || say "CUDA $version: $(join "${have[@]}")"
fi

if ((${#failed[@]})); then
  say "Not fetched:"
  for problem in "${failed[@]}"; do say "  $problem"; done
  exit 1
fi
