# shellcheck shell=bash
# Shared by the scripts; sourced, not run. Messages go to stderr: stdout belongs to the table. With -h or --help, a
# script prints the comment at its head and does nothing else.

# SPDX-License-Identifier: Apache-2.0
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
toolkits=${PTXLAT_TOOLKITS:-$root/toolkits}

for argument in "$@"; do
  [[ $argument != -h && $argument != --help ]] || exec sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
done

say() { printf '%s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

# has_tool NAME: whether a working program NAME of a CUDA toolkit is where ptxlat looks.
has_tool() {
  local candidate
  for candidate in "$toolkits"/*/bin/"$1" "${CUDA_HOME:-/nonexistent}/bin/$1" "$(command -v "$1" || true)" \
    /usr/local/cuda*/bin/"$1" /usr/lib/nvidia-cuda-toolkit/bin/"$1"; do
    if [[ -x $candidate && ! -d $candidate ]] && "$candidate" --version >/dev/null 2>&1; then return 0; fi
  done
  return 1
}

# Whether there is a driver and a device; `ptxlat doctor` says more.
has_gpu() {
  [[ -e /dev/nvidiactl || -e /dev/nvidia0 || -e /dev/dxg ]] || return 1
  # Not a pipe into grep -q: with pipefail, ldconfig dying of SIGPIPE would count as "no driver".
  [[ $(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null) == *libcuda.so.1* ]]
}

# fetch_missing: downloads ptxas and nvdisasm if the machine has none.
fetch_missing() {
  if has_tool ptxas && has_tool nvdisasm; then return; fi
  "$root/tools/toolkits.sh"
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  (
    cd "$root" || exit
    cmake --preset "$preset" --log-level=WARNING
    cmake --build --preset "$preset" ${1:+--target "$@"}
  ) >&2
}

# pack_table FOLDER [SIBLING]: compresses a new table as tightly as its readers allow, since a repository keeps every one
# forever; a packed table is not touched. SIBLING is the name of a whole table next to it, to which its rows then refer:
# what both share is stored once (docs/table-format.md, "Rows that refer to a sibling").
pack_table() {
  local lines=$1/latency.jsonl name base
  if command -v zstd >/dev/null; then
    for name in "$1"/logs/*.zst "$1"/{opcodes,pairs,probes}.jsonl.zst; do
      [[ -e $name ]] || continue
      zstd -qdf "$name" -o "${name%.zst}"
      zstd -qf --ultra -22 --rm "${name%.zst}" -o "$name"
    done
  fi
  for name in "$1"/{opcodes,pairs}.csv; do
    [[ ! -e $name ]] || gzip -9nf "$name"
  done
  [[ -e $1/latency.csv ]] || return 0
  gzip -9nf "$1/latency.csv"
  [[ -e $lines.zst ]] && command -v zstd >/dev/null || return 0
  # From a file, not a pipe: the frame contains its size.
  zstd -qdf "$lines.zst" -o "$lines"
  if [[ -z ${2:-} ]]; then
    zstd -qf --ultra -22 --rm "$lines" -o "$lines.zst"
    return
  fi
  base=$(mktemp)
  zstd -qdf "$1/../$2/latency.jsonl.zst" -o "$base"
  zstd -qqf -19 --patch-from="$base" "$lines" -o "$lines.zst" # a second q: no advice on how to be slower
  rm "$base" "$lines"
  sed -i "s/^  \"jsonl_crc32\"/  \"jsonl_base\": \"$2\",\n&/" "$1/run.json"
}

# pack_versions FOLDER: packs the tables of all versions of ptxas in the folder of a GPU. The newest one is whole. If it
# is made again, the older ones must be, too: they unpack only with the rows that they were packed with.
pack_versions() {
  local versions version
  mapfile -t versions < <(find "$1" -mindepth 1 -maxdepth 1 -name 'ptxas-*' -printf '%f\n' | sort -V)
  ((${#versions[@]})) || return 0
  pack_table "$1/${versions[-1]}"
  for version in "${versions[@]:0:${#versions[@]}-1}"; do pack_table "$1/$version" "${versions[-1]}"; done
}
