#!/usr/bin/env bash
# Fuzzes the readers of untrusted files (tests/fuzz) with Clang's libFuzzer: builds them with the preset sanitize,
# gathers seeds from the repository's own files into .out/fuzz, and runs the targets, as many at a time as there are
# cores. Findings are left in .out/fuzz/found; a crash ends the script with 1 when all have run. To keep one as a test,
# copy it to tests/fuzz/regressions/TARGET/.
#   tools/fuzz.sh [SECONDS [TARGET...]]
#     SECONDS  for each target; default 60; use 1200 before a release
#     TARGET   by default all; tools/fuzz.sh 0 lists them
# With PTXLAT_BIN, the program in that folder is used and nothing is built.
set -uo pipefail
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

seconds=${1:-60}
[[ $seconds =~ ^[0-9]+$ ]] || die "not a number of seconds: \"$seconds\""
shift $(($# > 0))
if [[ ! -v PTXLAT_BIN ]]; then
  "$root/tools/setup.sh" libclang-rt-dev zstd && build sanitize fuzz || exit 1
  PTXLAT_BIN=$root/build/sanitize/bin
fi
fuzz=$PTXLAT_BIN/fuzz
targets=("$@")
((${#targets[@]})) || mapfile -t targets < <("$fuzz" --targets)
((${#targets[@]})) || die "$fuzz names no target"
if ((seconds == 0)); then
  printf '%s\n' "${targets[@]}"
  exit 0
fi

out=$root/.out/fuzz
seeds=$out/seeds
found=$out/found
rm -rf "$seeds"
mkdir -p "$seeds" "$found"
"$fuzz" --seeds="$seeds" || exit 1

# seed TARGET NAME [FILE]: the file, or standard input, as a seed; shortened.
seed() {
  mkdir -p "$seeds/$1"
  head -c 20000 "${3:--}" >"$seeds/$1/$2"
}

# The repository's own files. `head` closes the pipe early.
gather() {
  local folder file name
  for folder in tables/sm_90/nvidia-h200/driver-580.159.04 tables/sm_90a/static/ptxas-13.0.88; do
    name=${folder//\//_}
    if [[ -e $folder/latency.csv.gz ]]; then
      { gzip -dc "$folder/latency.csv.gz" | head -40 && printf '====\n' && gzip -dc "$folder/forms.csv.gz" | head -40; } |
        seed csv "$name"
    fi
    seed run_json "$name" <"$folder/run.json"
    head -c 3000 "$folder/forms.csv.gz" | seed packed "$name.gz"
    if command -v zstd >/dev/null && [[ -e $folder/latency.jsonl.zst ]]; then
      {
        zstd -dc "$folder/latency.jsonl.zst" | head -20
        zstd -dc "$folder/latency.jsonl.zst" | tail -5
      } | seed jsonl "$name"
    fi
  done
  folder=tables/sm_90/nvidia-h200/driver-580.159.04
  zstd -dcq "$folder"/probes.jsonl.* | awk 'length($0) < 20000 && NR % 2 == 0' >"$out/records"
  split -l 1 -d -a 3 "$out/records" "$out/record."
  for file in "$out"/record.*; do
    seed records "${file##*.}" <"$file"
    seed store "${file##*.}" <"$file"
  done
  rm -f "$out/records" "$out"/record.*
  for folder in tables/sm_90/nvidia-h100-80gb-hbm3/driver-580.159.04 tables/sm_90/nvidia-h200/driver-580.159.04; do
    for name in opcodes pairs; do
      [[ -e $folder/$name.json ]] || continue
      {
        zstd -dcq "$folder/$name".jsonl.* | awk 'NR % 90 == 1' && printf '====\n' && cat "$folder/$name.json"
        printf '\n====\n' && gzip -dcf "$folder"/pairs.csv* | head -30
      } | seed opcodes "${folder//\//_}_$name"
    done
  done
  for file in simulators/*.toml; do
    {
      cat "$file"
      printf '====\n-gpgpu_n_clusters 1\n-gpgpu_scheduler gto\n-gpgpu_cache:dl1 S:4:128:64,L:L:m:N:L,A:512:8,16:0,32\n'
      printf '====\n' && gzip -dc "$folder/latency.csv.gz" | head -12
      printf '====\n' && gzip -dcf "$folder"/opcodes.csv* | head -12 && printf '====\n' && cat "$folder/run.json"
      printf '\n====\n' && head -20 "$folder/facts.csv"
    } | seed simulator "${file##*/}"
  done
  if command -v zstd >/dev/null; then
    {
      zstd -dc "$folder/latency.jsonl.zst" | head -5
      printf '====\n' && zstd -dcq "$folder"/probes.jsonl.* | awk 'length($0) < 3000' | head -3
      printf '====\n' && gzip -dcf "$folder"/opcodes.csv* | head -20 && printf '====\n' && head -20 "$folder/contention.csv"
    } | seed site "$(basename "$folder")"
  fi
  printf 'banks=2 reads_per_cycle=1 counts_once=1 least=2\n====\nR4 R6 R8' | seed predict registers
  printf 'fallthrough_first\n====\n0000ffff' | seed predict branch
  for file in "$folder"/logs/*.zst; do
    command -v zstd >/dev/null || break
    zstd -dc "$file" | head -3 | seed oracle "$(basename "$file")"
    head -c 3000 "$file" | seed packed "$(basename "$file")"
  done
  for file in ptx_templates/isa/*.toml ptx_templates/cuda/*.toml; do
    seed catalogue "${file##*/}" "$file"
  done
  for file in ptx_templates/skeletons/*.ptx; do
    { printf '\n====\n' && cat "$file"; } | seed catalogue "$(basename "$file")"
  done
  for file in ptx_templates/probes/*.toml; do
    { cat "$file" && printf '\n====\n' && cat "${file%.toml}.ptx"; } | seed probe "$(basename "$file")"
    grep -oE '\{\{[^}#/]+' "${file%.toml}.ptx" | sed 's/^{{//' | sort -u | head -3 |
      while read -r line; do printf '%s' "$line" | seed expression "$(cksum <<<"$line" | cut -d' ' -f1)"; done
  done
  ptxas=$(compgen -G "$toolkits/1[3-9].*/bin/ptxas" | head -n 1)
  for file in tests/ptx/golden/*.ptx; do
    seed ptx_module "${file##*/}" "$file"
    grep -E '^ +[a-z].*;$' "$file" | head -12 | seed snippet "$(basename "$file")"
    seed snippet "module.${file##*/}" "$file"
    for target in sm_75 sm_90; do
      [[ -x $ptxas ]] || break
      { printf '.version 7.8\n.target %s\n.address_size 64\n' "$target" && cat "$file"; } >"$out/ptx"
      "$ptxas" -arch="$target" -o "$out/cubin" "$out/ptx" 2>/dev/null || continue
      seed cubin "$(basename "$file").$target" <"$out/cubin"
    done
  done
  sed -n '/R"/,/"/p' tests/cuda/splice_test.cpp | seed ptx_module splice_test
  grep -ohE 'add\.[a-z0-9.]+ [^"]*;' tests/snippet/*.cpp docs/*.md | head -40 |
    while read -r line; do printf '%s' "$line" | seed snippet "$(cksum <<<"$line" | cut -d' ' -f1)"; done
  printf '__sinf(x) * y' | seed snippet cuda
  printf 'p[i + 1] * q[0]' | seed snippet pointers
  printf '\1\0\0\0\0\0\0\0' | seed words block
  grep -ohE '"ptxas [^"]*' tests/assemble/*.cpp | cut -c2- | seed ptxas_log tests
  grep -ohE '"[^"]*/\*[0-9a-f]{4}\*/[^"]*' tests/sass/*.cpp | cut -c2- | seed nvdisasm listing
  zstd -dcq tables/sm_90a/static/ptxas-13.0.88/latency.jsonl.zst 2>/dev/null | head -30 | grep -oE '\| [A-Z][^"]*' |
    cut -c3- | awk '{ printf "        /*%04x*/                   %s ;\n", NR * 16, $0 }' | head -60 | seed nvdisasm table
  printf 'cvt.*.f32.*' | seed command_line glob
  printf 'ptxas-13.0,ptxas-12' | seed command_line toolchains
  printf 'sm_90a' | seed command_line target
}
(cd "$root" && gather)

# run TARGET: prints how it ended; fails if the target did.
run() {
  local target=$1 folders=("$out/corpus/$1" "$seeds/$1") log=$out/$1.log inputs result=passed
  mkdir -p "${folders[@]}" "$found/$target"
  [[ ! -d $root/tests/fuzz/regressions/$target ]] || folders+=("$root/tests/fuzz/regressions/$target")
  # A minute of libFuzzer's default 1 MB inputs tries little, and no reader needs that much to fail.
  # An input's limit is time on the clock: a busy machine takes several times as long.
  "$fuzz" --target="$target" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -max_len=30000 -verbosity=0 \
    -print_final_stats=1 -artifact_prefix="$found/$target/" "${folders[@]}" >"$log" 2>&1 || result="FAILED: $log"
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  [[ $result != passed ]] || ((${inputs:-0} > 0)) || result="FAILED, it tried nothing: $log"
  printf '%-14s %8s inputs in %s s  %s\n' "$target" "${inputs:-?}" "$seconds" "$result"
  [[ $result == passed ]]
}

# All take equally long, so that each batch ends at once.
status=0
at_a_time=$(nproc)
for ((first = 0; first < ${#targets[@]}; first += at_a_time)); do
  running=()
  for target in "${targets[@]:first:at_a_time}"; do
    run "$target" &
    running+=($!)
  done
  for process in "${running[@]}"; do
    wait "$process" || status=1
  done
done
exit "$status"
