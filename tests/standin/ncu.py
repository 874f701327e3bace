#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for Nsight Compute's command line: runs the program, and counts 100 warp instructions for its first
kernel, 200 for the second, and so on, all of them on pipe `able` and half of them on `charlie`.

$PTXLAT_STANDIN_NCU may be `forbidden`, or the number of copies of one instruction that every other kernel, from the
first on, executes on pipe `able` where the next one does nothing."""
import os
import subprocess
import sys

PREFIX = "sm__inst_executed"
PIPES = ["able", "charlie", "tensor", "tensor_op_hmma"]


def main():
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print("NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.0.0 (build 1) (public-release)")
        return 0
    if arguments == ["--query-metrics"]:
        print("Device NVIDIA H200 (GH100)\n-------- ------- ---- -------")
        for name in [PREFIX] + [f"{PREFIX}_pipe_{pipe}" for pipe in PIPES]:
            print(f"{name:<60} Counter inst # of warp instructions executed")
        return 0
    options = {}
    while arguments[0].startswith("--"):
        name = arguments.pop(0)
        options[name] = "" if name == "--csv" else arguments.pop(0)
    # The clocks stay as they are.
    assert options["--clock-control"] == "none" and options["--page"] == "raw" and "--csv" in options
    log = os.path.abspath("launches")
    status = subprocess.run(arguments, env={**os.environ, "PTXLAT_STANDIN_LAUNCH_LOG": log}).returncode
    kernels = open(log).read().split() if os.path.exists(log) else []
    with open(options["--log-file"], "w") as out:
        out.write("==PROF== Connected to process 1\n")
        behaviour = os.environ.get("PTXLAT_STANDIN_NCU", "")
        if behaviour == "forbidden":
            out.write("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters.\n")
            return 0
        if status != 0:
            out.write(f"==ERROR== The application returned an error code ({status}).\n")
        metrics = options["--metrics"].split(",")
        rows = [["ID", "Kernel Name"] + metrics, ["", ""] + ["inst"] * len(metrics)]
        for number, kernel in enumerate(kernels):
            able = executed = 100 * (number + 1)
            if behaviour:
                able, executed = 0 if number % 2 else int(behaviour), 2 * int(behaviour)
            of_metric = {f"{PREFIX}.sum": executed, f"{PREFIX}_pipe_able.sum": able,
                         f"{PREFIX}_pipe_charlie.sum": able // 2}
            values = [f"{of_metric.get(metric, 0):,}" for metric in metrics]
            rows.append([str(number), f"{kernel}(int, void*)"] + values)
        for row in rows:
            out.write(",".join(f'"{field}"' for field in row) + "\n")
    return 1 if status != 0 else 0


sys.exit(main())
