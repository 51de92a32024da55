"""Finds the program ``eke``."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sysconfig
from typing import Optional

NAME = "eke.exe" if os.name == "nt" else "eke"


def find_binary() -> str:
    """Returns the path of the program: the one that this package was installed with, or else the one in the PATH.

    Raises FileNotFoundError if there is none.
    """
    found = _installed() or shutil.which("eke")
    if not found:
        raise FileNotFoundError("the program eke is missing: this package was installed without it, and it is not in the PATH; "
                                "install a wheel that carries it, or give binary=")
    return found


def _installed() -> Optional[str]:
    here = os.path.dirname(os.path.abspath(__file__))
    try:
        distribution = importlib.metadata.distribution("eke")
        if not os.path.samefile(str(distribution.locate_file("eke")), here):
            return None  # another copy of this package is installed as well
        listed = [str(distribution.locate_file(f)) for f in distribution.files or () if f.name == NAME]
    except (importlib.metadata.PackageNotFoundError, OSError):
        return None
    for path in listed + [os.path.join(sysconfig.get_path("scripts"), NAME)]:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.normpath(path)
    return None
