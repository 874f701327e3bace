#!/usr/bin/env bash
# Runs the tests of the Python module with a python3 that has pandas and pytest; 77 where none has.
#   tests/python/run.sh PROGRAM
set -euo pipefail
# SPDX-License-Identifier: Apache-2.0
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export PTXLAT=$1 PYTHONPATH=$root/python PYTHONDONTWRITEBYTECODE=1
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import pandas, pytest' 2>/dev/null; then
    exec "$python" -m pytest -q -p no:cacheprovider "$root/tests/python"
  fi
done
echo "skipped: no python3 with pandas and pytest (python3-pandas, python3-pytest)"
exit 77
