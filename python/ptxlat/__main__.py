# SPDX-License-Identifier: Apache-2.0
"""The command `ptxlat`: the program in the package, with the same arguments."""

from __future__ import annotations

import os
import sys

from ._program import program


def main() -> None:
    path = program()
    os.execv(path, [str(path), *sys.argv[1:]])


if __name__ == "__main__":
    main()
