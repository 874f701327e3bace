#!/usr/bin/env bash
# Makes the table of every kind of GPU in a Slurm cluster: for each kind, an array of jobs that each make a shard of its
# table, followed by a job that merges their stores and writes the table. docs/fleets.md explains it.
#   tools/slurm/submit.sh [-p PARTITION] [-k KINDS] [-n SHARDS] [-c CPUS] [-o FOLDER] [-- OPTION...]
#     -p PARTITION   with the GPUs; default: the cluster's default
#     -k KINDS       types of GPU as `sinfo -o %G` names them, separated by commas; default: all of the partition.
#                    With h100=sm_90a the shards of h100 are assembled for sm_90a first, by jobs without a GPU
#     -n SHARDS      of each table; default 16
#     -c CPUS        of each task; default 16, all used if the GPU's node assembles
#     -o FOLDER      on a file system that all nodes share: stores, bundles, logs and tables; default ptxlat-fleet
#     OPTION         what to measure, for `ptxlat run` or, with bundles, `ptxlat assemble`: --all, -O 0,3, --toolchain …
# Run it again to make what is missing: finished cells stay. Options of sbatch come from its variables (SBATCH_ACCOUNT,
# SBATCH_TIMELIMIT, …); PTXLAT names the program, default: ptxlat on the PATH. Prints the jobs that it submits.
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tools/common.sh
source "$here/../common.sh"

partition="" kinds="" shards=16 cpus=16 folder=ptxlat-fleet
while getopts p:k:n:c:o: option; do
  case $option in
    p) partition=$OPTARG ;;
    k) kinds=$OPTARG ;;
    n) shards=$OPTARG ;;
    c) cpus=$OPTARG ;;
    o) folder=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
command -v sbatch >/dev/null || die "no sbatch here: run this on a login node of a Slurm cluster"
PTXLAT=$(command -v "${PTXLAT:-ptxlat}") || die "no ptxlat on the PATH, and PTXLAT does not name it"
export PTXLAT

# kinds_in_partition: the types of GPU, a line each; "gpu" if the cluster gives them no types.
kinds_in_partition() {
  local found
  found=$(sinfo -h ${partition:+-p "$partition"} -o %G | sed 's/([^)]*)//g' | tr ',' '\n' | grep '^gpu' || true)
  sed -n 's/^gpu:\([^:]*\):[0-9]*$/\1/p; s/^gpu:[0-9]*$/gpu/p' <<<"$found" | sort -u
}

if [[ -n $kinds ]]; then
  mapfile -t wanted < <(tr ',' '\n' <<<"$kinds")
else
  mapfile -t wanted < <(kinds_in_partition)
fi
((${#wanted[@]})) || die "the partition has no GPUs (sinfo -o %G)"

mkdir -p "$folder"/{bundles,logs}
folder=$(cd "$folder" && pwd)
common=(--parsable --output "$folder/logs/%x-%A_%a.log" ${partition:+-p "$partition"})

declare -A bundles
for kind in "${wanted[@]}"; do
  type=${kind%%=*} target=${kind#"$type"} target=${target#=}
  gres=gpu:$type:1 after=() options=("$@")
  [[ $type != gpu ]] || gres=gpu:1
  if [[ -n $target ]]; then
    if [[ -z ${bundles[$target]:-} ]]; then
      bundles[$target]=$(sbatch "${common[@]}" --job-name "ptxlat-bundle-$target" --array "1-$shards" \
        --cpus-per-task "$cpus" "$here/bundle.sh" "$folder" "$target" "$shards" "$@")
      echo "bundle $target ${bundles[$target]}"
    fi
    # Each task only waits for the bundle of its own shard.
    after=(--dependency "aftercorr:${bundles[$target]}" --kill-on-invalid-dep=yes) options=()
  fi
  mkdir -p "$folder/stores/$type"
  job=$(sbatch "${common[@]}" "${after[@]}" --job-name "ptxlat-$type" --array "1-$shards" --cpus-per-task "$cpus" \
    --gres "$gres" "$here/table-array.sh" "$folder" "$kind" "$shards" "${options[@]}")
  echo "table $type $job"
  # afterany: the existing stores are merged even if a task failed, and merge names what is missing.
  merge=$(sbatch "${common[@]}" --dependency "afterany:$job" --job-name "ptxlat-merge-$type" \
    --output "$folder/logs/%x-%A.log" "$here/merge.sh" "$folder" "$type")
  echo "merge $type $merge"
done
