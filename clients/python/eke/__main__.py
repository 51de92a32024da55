"""``python -m eke`` is the program ``eke``."""

from __future__ import annotations

import os
import subprocess
import sys

from ._binary import find_binary


def main() -> int:
    try:
        binary = find_binary()
    except FileNotFoundError as e:
        print(f"eke: {e}", file=sys.stderr)
        return 1
    if os.name == "nt":  # where exec would not wait
        return subprocess.call([binary, *sys.argv[1:]])
    os.execv(binary, [binary, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
