#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives each source file the line that names its licence.

  tools/spdx.py           adds the line where it is missing
  tools/spdx.py --check   names the files that lack it, and ends with 1 if there are any
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LINE = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {
    ".cpp": "// ", ".h": "// ", ".c": "// ", ".sh": "# ", ".py": "# ", ".cmake": "# ", ".yml": "# ",
    "CMakeLists.txt": "# ", "Containerfile": "# ",
}
# Scripts show the comment at their head as help, so that the line comes after it.
HEAD = 60


def comment_of(file: Path) -> str | None:
    return COMMENTS.get(file.name) or COMMENTS.get(file.suffix)


def sources(root: Path) -> list[Path]:
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=True)
    found = [Path(name) for name in listed.stdout.split("\0") if name]
    return [file for file in found if comment_of(file) and file.parts[0] != "tables" and (root / file).exists()]


def has_line(text: str) -> bool:
    return any(line.endswith(LINE) for line in text.split("\n", HEAD)[:HEAD])


def with_line(text: str, line: str, is_script: bool) -> str:
    lines = text.split("\n")
    at = 1 if text.startswith("#!") else 0
    while is_script and at < len(lines) and lines[at].startswith("#"):
        at += 1
    if is_script:
        at += 1  # behind `set -euo pipefail`
    # What the file's own first comment says is not about the licence.
    apart = [""] if not is_script and at < len(lines) and lines[at].startswith(line.split()[0]) else []
    return "\n".join([*lines[:at], line, *apart, *lines[at:]])


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    lacking = [file for file in sources(root) if not has_line((root / file).read_text())]
    if sys.argv[1:] == ["--check"]:
        for file in lacking:
            print(f"{file} has no line {LINE!r}: tools/spdx.py adds it")
        return 1 if lacking else 0
    if sys.argv[1:]:
        print(__doc__.strip(), file=sys.stderr)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    for file in lacking:
        text = (root / file).read_text()
        (root / file).write_text(with_line(text, (comment_of(file) or "") + LINE, file.suffix == ".sh"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
