"""A command that stays alive from trial to trial: a setting per line in, a result per line out."""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any, Dict, Mapping, Optional, TextIO

from ._evaluators import Function, call
from ._returned import line_of, value_and_cost
from ._trial import Trial, failure_of, number_of


def worker(f: Function) -> None:
    """Evaluates trials with f, one after another, for ``eke run`` or ``eke worker``. It returns when there are no more.

    In the study file, write ``command: [python3, train.py]`` and ``protocol: lines``. The program then starts once, and not for every
    trial: what it imports and loads before it calls this is there for all of them, and is not charged::

        import eke
        data = load()

        def train(setting):
            return loss_of_a_network(data, setting["lr"])

        eke.worker(train)

    Args:
        f: takes a setting, which is a dict, and returns its value, or ``(value, cost)`` if costs are reported, or a dict with the value, the cost and
            metrics: ``{"objective": 0.2, "cost": 3, "memory": 7.4}``. If it raises an exception, the trial has failed, and the next one is evaluated. It may report values on its way:
            ``eke.current_trial().report(epoch, loss)``. A trial that is to stop is stopped with this process, and another process goes on.

    What f prints is kept in the file stderr of the trial's folder, so that nothing that it prints is taken for a result.
    """
    if not callable(f):
        raise TypeError("f must be a function that takes a setting")
    if sys.stdin is None or sys.stdin.isatty():
        raise RuntimeError("eke.worker reads settings from stdin, a line of JSON each. Write protocol: lines in the study file, and start it "
                           "with eke run; or try it: echo '{\"lr\": 0.1}' | python3 train.py")
    out = _take_stdout()
    for line in getattr(sys.stdin, "buffer", sys.stdin):  # UTF-8, whatever the locale has
        if line.strip():
            _say(out, _evaluate(f, json.loads(line), out))


def _take_stdout() -> TextIO:
    """Returns stdout, and has whatever else is printed, also by libraries in C, go to stderr."""
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def _say(out: TextIO, what: Dict[str, Any]) -> None:
    sys.stdout.flush()  # what was printed belongs to this trial, and not to the next
    sys.stderr.flush()
    out.write(json.dumps(what, allow_nan=False) + "\n")
    out.flush()


def _number() -> int:
    """Returns the number of the trial under way, which is the name of its folder; 0 if nobody says."""
    name = os.path.basename(os.path.realpath(os.environ.get("EKE_DIR", "")))
    return int(name) if name.isascii() and name.isdigit() else 0


def _evaluate(f: Function, setting: Dict[str, Any], out: TextIO) -> Dict[str, Any]:
    def report(step: float, value: float, cost: Optional[float]) -> str:
        said = {"step": step, "objective": value}
        if cost is not None:
            said["cost"] = number_of("cost", cost)
        _say(out, said)
        return ""  # a trial that is to stop is stopped with this process

    try:
        return _read(call(f, Trial.elsewhere(_number(), setting, report)))
    except Exception as e:
        traceback.print_exc()
        note, cost = failure_of(e)
        return {"error": note} if cost is None else {"error": note, "cost": cost}


def _read(returned: Any) -> Dict[str, Any]:
    """Turns what f returned into a result."""
    if isinstance(returned, Mapping):
        return line_of(returned)
    said: Dict[str, Any] = {}
    value, cost = value_and_cost(returned)
    if cost is not None:
        said["cost"] = cost
    try:
        said["objective"] = number_of("the value that f returns", value)
    except ValueError:
        said["error"] = f"the function returned {float(value)}"
    return said
