"""Numbers with their nouns, in the singular where there is one."""

from __future__ import annotations

import re
from typing import Any, Mapping

# Endings of words in the plural and in the singular. The first that fits counts, as in the program.
_ENDINGS = (("calories", "calorie"), ("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("ss", "ss"), ("us", "us"),
            ("is", "is"), ("s", ""))


def count(n: int, noun: str) -> str:
    """Writes "1 trial", "2 trials"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def unit_of(cost: Mapping[str, Any], x: float) -> str:
    """Returns the unit of an amount of a study's cost: "dollar" for what is written as 1."""
    unit = "s" if cost.get("source") == "walltime" else str(cost.get("unit") or "")
    if f"{abs(x):.4g}" != "1" or not re.search("[A-Za-z][a-z]{2,}s$", unit):
        return unit
    many, one = next((many, one) for many, one in _ENDINGS if unit.endswith(many))
    return unit[: -len(many)] + one
