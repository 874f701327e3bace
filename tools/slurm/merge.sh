#!/usr/bin/env bash
# Merges the stores of a kind of GPU into FOLDER/KIND.sqlite and writes its tables to FOLDER/tables. If a shard is not
# complete, it says what is missing and exits with 9.
#   tools/slurm/merge.sh FOLDER KIND [OPTION...]   a batch script, as submit.sh submits it; it runs without Slurm, too
# OPTION is for `ptxlat merge`: --headline-code, …
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
case ${1:-} in -h | --help) exec sed -n '2,/^[^#]/{/^#SBATCH/!s/^# \{0,1\}//p}' "$0" ;; esac

folder=$1 kind=$2
shift 2
exec "${PTXLAT:-ptxlat}" merge "$folder/stores/$kind"/*.sqlite --into "$folder/$kind.sqlite" --tables "$folder/tables" "$@"
