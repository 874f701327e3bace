#!/usr/bin/env bash
# One task of an array on nodes without GPUs: assembles the bundle of a shard, for table-array.sh to measure.
#   tools/slurm/bundle.sh FOLDER TARGET SHARDS [OPTION...]   a batch script, as submit.sh -k KIND=TARGET submits it:
#     sbatch --array=1-16 --cpus-per-task=16 tools/slurm/bundle.sh FOLDER sm_90a 16 --all --toolchain ptxas-13.0
# OPTION is for `ptxlat assemble`. It can be killed and requeued at any time, and continues where it stopped.
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
case ${1:-} in -h | --help) exec sed -n '2,/^[^#]/{/^#SBATCH/!s/^# \{0,1\}//p}' "$0" ;; esac

folder=$1 target=$2 shards=$3
shift 3
task=${SLURM_ARRAY_TASK_ID:?the number of the shard: submit this with sbatch --array=1-$shards}
mkdir -p "$folder/bundles"
exec "${PTXLAT:-ptxlat}" assemble --target "$target" --shard "$task/$shards" \
  --threads "${SLURM_CPUS_PER_TASK:-1}" -o "$folder/bundles/$target-$task-of-$shards.bundle" "$@"
