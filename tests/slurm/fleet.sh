#!/usr/bin/env bash
# A real Slurm, controller and node on this machine, with two kinds of imaginary GPU: the tables that tools/slurm/ makes
# there, with tasks killed and requeued, are those of whole runs. 77 where there is no Slurm.
#   tests/slurm/fleet.sh PROGRAM STANDIN   ptxlat and the stand-in driver
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
program=$1 standin=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$PATH:/usr/sbin:/sbin

skip() {
  echo "skipped: $*"
  exit 77
}
for tool in munged slurmctld slurmd sbatch python3; do
  command -v "$tool" >/dev/null || skip "no $tool (packages munge, slurmctld, slurmd, slurm-client, python3)"
done
((EUID == 0)) || skip "slurmd starts jobs as root only"
ptxas=$(find -L "$root/toolkits" -path '*/bin/ptxas' 2>/dev/null | sort -V | tail -n 1)
[[ -n $ptxas ]] || skip "no ptxas (tools/toolkits.sh brings one)"

folder=$(mktemp -d)
daemons=()
# shellcheck disable=SC2317 # the trap calls it
tear_down() {
  local status=$? process i
  trap - EXIT
  if ((status != 0)); then tail -n 30 "$folder"/log/* "$folder"/*/logs/* 2>/dev/null || true; fi
  # Jobs first: slurmd leaves them behind.
  if ((${#daemons[@]} >= 3)); then
    timeout 10 scancel --user "$(id -un)" 2>/dev/null || true
    for ((i = 0; i < 100; ++i)); do
      [[ -n $(timeout 10 squeue -h 2>/dev/null) ]] || break
      sleep 0.1
    done
  fi
  for ((i = ${#daemons[@]} - 1; i >= 0; --i)); do
    kill "${daemons[i]}" 2>/dev/null || true
    timeout 5 tail --pid="${daemons[i]}" -f /dev/null || kill -KILL "${daemons[i]}" 2>/dev/null || true
  done
  # What is left of the jobs, with slurmstepd, which outlives slurmd: all of it has its standard error here.
  for process in /proc/[0-9]*; do
    [[ $(readlink "$process/fd/2" 2>/dev/null) != "$folder"/* ]] || kill -KILL "${process#/proc/}" 2>/dev/null || true
  done
  rm -rf "$folder"
  exit "$status"
}
trap tear_down EXIT
trap 'exit 143' TERM INT

fail() {
  echo "FAILED: $*"
  exit 1
}

# until_true WHAT COMMAND...: repeats the command until it succeeds, on a busy machine as well. What takes ten minutes
# hangs.
until_true() {
  local limit=$((SECONDS + 600)) what=$1
  shift
  until "$@"; do
    ((SECONDS < limit)) || fail "$what took too long"
    sleep 0.1
  done
}

# A port of 127.0.0.1 that nothing listens on.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# What may be in the environment of who calls this.
unset "${!SLURM_@}" "${!SBATCH_@}" "${!CUDA_@}"
export SLURM_CONF=$folder/slurm.conf
mkdir -p "$folder"/{log,munge,state,spool}
chmod 700 "$folder/munge"
head -c 1024 /dev/urandom >"$folder/munge/key"
chmod 400 "$folder/munge/key"

# A requeued job waits until the credentials of its first start have expired: two minutes, unless cred_expire says less.
cat >"$SLURM_CONF" <<CONF
ClusterName=ptxlat
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket,cred_expire=5
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
SchedulerParameters=bf_interval=1,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
KillWait=5
SlurmdParameters=config_overrides
NodeName=node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=4 Gres=gpu:old:1,gpu:new:1
PartitionName=gpus Nodes=node Default=YES MaxTime=60 State=UP
CONF
# Slurm wants devices; these are not opened.
cat >"$folder/gres.conf" <<CONF
NodeName=node Name=gpu Type=old File=/dev/null
NodeName=node Name=gpu Type=new File=/dev/zero
CONF

start() {
  local name=$1
  shift
  "$@" >"$folder/log/$name" 2>&1 &
  daemons+=($!)
}
start munged munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/log/munged.log" --seed-file="$folder/munge/seed"
until_true "munged" test -S "$folder/munge/socket"
start slurmctld slurmctld -D -f "$SLURM_CONF"
start slurmd slurmd -D -f "$SLURM_CONF" -N node
is_idle() { [[ $(sinfo -h -o %T 2>/dev/null) == idle ]]; }
until_true "Slurm" is_idle

# Two kinds of GPU with different numbers, each where Slurm says that it is.
cat >"$folder/script.toml" <<TOML
[[device]]
name = "Old"
[[device]]
name = "New"
[[rule]]
device = 1
kernel = "^(chain_twice|differential)_(add|sub)"
cycles = 900
TOML
export PTXLAT=$program PTXLAT_LIBCUDA=$standin PTXLAT_LIBNVML=$standin PTXLAT_TOOLKITS=$root/toolkits
export PTXLAT_TEMPLATES=$root/ptx_templates PTXLAT_STANDIN_PTXAS=$ptxas PTXLAT_STANDIN_SCRIPT=$folder/script.toml
export PTXLAT_DEADLINE_FACTOR=${PTXLAT_DEADLINE_FACTOR:-4} # a busy machine must not make a kernel miss its deadline
options=(--filter '/^(add|sub)\./' -O 3 --repeat 0 --launches 3)

# Whole runs, one on each GPU, while the cluster works.
whole_runs() {
  local gpu
  for gpu in 0 1; do
    CUDA_VISIBLE_DEVICES=$gpu "$program" run --store "$folder/$gpu.sqlite" --tables "$folder/whole" --format none \
      --threads 2 "${options[@]}" || return
  done
}

echo "submit, kill a task, requeue one, send one the signal before a time limit"
begin=$SECONDS
jobs=$("$root/tools/slurm/submit.sh" -n 3 -c 1 -o "$folder/fleet" -- "${options[@]}")
echo "$jobs"
job() { awk -v what="$1" -v kind="$2" '$1 == what && $2 == kind {print $3}' <<<"$jobs"; }
[[ -n $(job table old) && -n $(job table new) ]] || fail "submit.sh did not find both kinds"

has_records() {
  python3 - "$folder/fleet/stores/$1.sqlite" <<'PYTHON' 2>/dev/null
import sqlite3, sys
sys.exit(sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute("SELECT count(*) FROM records").fetchone()[0] == 0)
PYTHON
}
# The process of the program that writes to this store.
writer_of() {
  local process
  for process in /proc/[0-9]*; do
    if [[ $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") == *"ptxlat run --store $folder/fleet/stores/$1.sqlite "* ]]; then
      echo "${process#/proc/}"
    fi
  done
}
start whole-runs whole_runs
until_true "the first cell of a new GPU" has_records new/1-of-3
kill -KILL "$(writer_of new/1-of-3)"
until_true "the first cell of an old GPU" has_records old/1-of-3
scontrol requeue "$(job table old)_1"
until_true "the first cell of the second shard" has_records old/2-of-3
scancel --batch --signal USR1 "$(job table old)_2"

state() { scontrol show job "$1" 2>/dev/null | grep -oE "$2=\S+" | sort -u | tr '\n' ' '; }
is_over() { [[ $(state "$1" JobState) =~ COMPLETED|FAILED|CANCELLED|TIMEOUT ]]; }
until_merged() {
  local job
  job=$(job merge "$1")
  until_true "the cluster" is_over "$job"
  [[ $(state "$job" ExitCode) == "ExitCode=0:0 " ]] || fail "the merge of $1 ended with $(state "$job" ExitCode)"
}
for kind in old new; do
  until_merged "$kind"
  [[ $(state "$(job table "$kind")" JobState) == "JobState=COMPLETED " ]] || fail "not every task of $kind completed"
  [[ $(state "$(job table "$kind")" Restarts) == *Restarts=1* ]] || fail "no task of $kind was requeued"
done
log_of() { cat "$folder/fleet/logs/ptxlat-$1-$(job table "$1")_$2.log"; }
for task in "new 1" "old 1" "old 2"; do
  # shellcheck disable=SC2086 # two words
  [[ $(log_of $task) == *"cells are already in"* ]] || fail "the requeued task $task began anew"
done
[[ $(log_of new 1) == *"ended with 137; requeued"* ]] || fail "the task that was killed did not requeue itself"
[[ $(log_of old 1) == *"DUE TO JOB REQUEUE"* ]] || fail "Slurm did not requeue the task"
[[ $(log_of old 2) == *"ended with 130; requeued"* ]] || fail "the task near its time limit did not requeue itself"
echo "$((SECONDS - begin)) s"

echo "the merged tables are those of whole runs"
wait "${daemons[-1]}" || fail "a whole run ended with $?"
unset "daemons[-1]"
same_tables() {
  local kind
  for kind in old new; do
    cmp "$folder/whole/sm_90/$kind/driver-0.0.standin/latency.csv" \
      "$1/tables/sm_90/$kind/driver-0.0.standin/latency.csv" || fail "the table of $kind differs"
  done
}
same_tables "$folder/fleet"
cmp -s "$folder"/whole/sm_90/{old,new}/driver-0.0.standin/latency.csv && fail "both GPUs gave the same table"

echo "a missing shard is named"
mkdir "$folder/part"
cp -r "$folder/fleet/stores" "$folder/part"
rm "$folder"/part/stores/old/2-of-3.sqlite*
status=0
said=$("$root/tools/slurm/merge.sh" "$folder/part" old 2>&1) || status=$?
((status == 9)) || fail "merge ended with $status"
[[ $said == *"sm_90/old/driver-0.0.standin: shard 2 of 3 is missing"* ]] || fail "merge says: $said"

echo "bundles first, on a node without GPUs"
jobs=$("$root/tools/slurm/submit.sh" -k old=sm_90a -n 2 -c 1 -o "$folder/bundled" -- --filter '/^sub\.[su]32/' -O 3)
echo "$jobs"
until_merged old
[[ $(state "$(job bundle sm_90a)" JobState) == "JobState=COMPLETED " ]] || fail "not every bundle was made"
CUDA_VISIBLE_DEVICES=0 "$program" run --toolchain ptxas --store "$folder/b.sqlite" --tables "$folder/whole" \
  --format none --filter '/^sub\.[su]32/' -O 3 2>"$folder/log/whole-bundle"
cmp "$folder"/whole/sm_90/old/ptxas-*/latency.csv "$folder"/bundled/tables/sm_90/old/ptxas-*/latency.csv ||
  fail "the table from bundles differs"
echo "$SECONDS s"
