#!/usr/bin/env bash
# One task of an array: makes its shard of the table of a kind of GPU, in its own store.
#   tools/slurm/table-array.sh FOLDER KIND[=TARGET] SHARDS [OPTION...]   a batch script, as submit.sh submits it:
#     sbatch --array=1-16 --gres=gpu:h100:1 --cpus-per-task=16 tools/slurm/table-array.sh FOLDER h100 16 --all
# With a TARGET the machine code comes from the shard's bundle (bundle.sh). OPTION is for `ptxlat run`. It can be killed,
# preempted and requeued at any time, and continues where it stopped. It requeues itself before its time limit and if the
# program is killed by a signal, at most five times.
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@60
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
case ${1:-} in -h | --help) exec sed -n '2,/^[^#]/{/^#SBATCH/!s/^# \{0,1\}//p}' "$0" ;; esac

folder=$1 type=${2%%=*} target=${2#"${2%%=*}"} shards=$3
shift 3
task=${SLURM_ARRAY_TASK_ID:?the number of the shard: submit this with sbatch --array=1-$shards}
name=$task-of-$shards
if [[ -n $target ]]; then
  set -- --bundle "$folder/bundles/${target#=}-$name.bundle" "$@"
else
  set -- --shard "$task/$shards" "$@"
fi

mkdir -p "$folder/stores/$type"
# A shard's own table is of no use: merge writes the whole one.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

program="" asked_to_end="" near_the_limit=""
# shellcheck disable=SC2317 # the traps call it
end_program() { [[ -z $program ]] || kill -TERM "$program" 2>/dev/null || true; }
trap 'asked_to_end=yes; end_program' TERM
trap 'near_the_limit=yes; end_program' USR1

"${PTXLAT:-ptxlat}" run --store "$folder/stores/$type/$name.sqlite" --tables "$scratch" --brief --format none \
  --threads $((2 * ${SLURM_CPUS_PER_TASK:-1})) "$@" &
program=$!
# A signal to this script ends the first wait before the program ends.
status=0
wait "$program" || status=$?
while kill -0 "$program" 2>/dev/null; do
  status=0
  wait "$program" || status=$?
done

# Slurm requeues tasks that it ends itself (preemption, a failed node), but not cancelled ones.
killed=$((status > 128 && status != 130))
if [[ -z $asked_to_end ]] && { ((killed)) || [[ -n $near_the_limit ]]; } && ((status != 0)) &&
  ((${SLURM_RESTART_COUNT:-0} < 5)); then
  echo "ended with $status; requeued" >&2
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$task"
fi
exit "$status"
