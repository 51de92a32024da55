"""A study from one call: the server is found or started, the study is created, and its trials are evaluated."""

from __future__ import annotations

import logging
import math
import re
import time
import uuid
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

from ._client import Client, Result, Study
from ._embedded import client_for
from ._evaluators import jobs_of
from ._html import amount
from ._loop import Function
from ._parameters import Parameter, definition_of
from ._trial import TrialInfo
from ._words import unit_of

log = logging.getLogger("eke")


def _named(f: Function) -> str:
    name = re.sub(r"[^A-Za-z0-9_.-]", "", getattr(f, "__name__", "")) or "study"
    return f"{name[:40]}-{time.strftime('%Y%m%d-%H%M%S')}-{uuid.uuid4().hex[:6]}"


def _optimize(goal: str, f: Function, parameters: Mapping[str, Parameter], budget: Union[float, str, Mapping[str, Any]],
              name: Optional[str], cost: str, client: Optional[Client], server: Optional[str], token: Optional[str],
              study: Optional[Mapping[str, Any]], own: Mapping[str, Any], workers: int, n_jobs: int, more: Dict[str, Any]) -> Result:
    """Creates and runs a study. own are the parts of the study file that have arguments of their own, None if they were not given."""
    parallel = max(workers, jobs_of(n_jobs))
    objective = own.get("objective")
    if objective is not None and not isinstance(objective, Mapping):
        raise TypeError(f"objective must be a dict such as {{'name': 'loss', 'min': 0}}, not {type(objective).__name__}")
    extra = {"parallel": parallel if parallel > 1 else None, **own, "objective": {"goal": goal, **objective} if objective else None, **(study or {})}
    definition = definition_of(name or _named(f), goal, parameters, budget, cost, extra)
    if "objectives" in definition:
        del definition["objective"]
    made = client_for(client, server, token).create(definition, exist_ok=True)
    _say_budget(made, definition["budget"].get("total"))
    return made.run(f, workers=workers, n_jobs=n_jobs, **more)


def _say_budget(study: Study, wanted: Union[float, str, None]) -> None:
    """Says that a study that exists keeps its budget, if that is another than the one wanted."""
    total = study.total if wanted is None else study._amount(wanted)
    if math.isclose(total, study.total, rel_tol=1e-9):
        return
    unit = unit_of(study.raw["cost"], study.total)
    more = f"; to add to it: result.study.add_budget({total - study.total:.12g})" if total > study.total else ""
    log.warning("study %s exists, and keeps its budget of %s %s%s", study.name, amount(study.total), unit, more)


def minimize(f: Function, parameters: Mapping[str, Parameter], budget: Union[float, str, Mapping[str, Any]], *, name: Optional[str] = None,
             cost: str = "walltime", client: Optional[Client] = None, server: Optional[str] = None, token: Optional[str] = None,
             study: Optional[Mapping[str, Any]] = None, fidelity: Optional[Mapping[str, Any]] = None,
             limits: Optional[Mapping[str, Any]] = None, changeover: Optional[Sequence[Mapping[str, Any]]] = None,
             initial: Optional[Mapping[str, Any]] = None, objective: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None, workers: int = 1, n_jobs: int = 1,
             max_trials: Optional[int] = None, max_failures: int = 10, patience: float = 3600.0, max_wait: float = 3600.0,
             on_trial: Optional[Callable[[TrialInfo], None]] = None, progress: Optional[bool] = None) -> Result:
    """Finds the setting for which f returns the least, within a budget.

    Args:
        f: takes a setting, which is a dict, and returns its value, or ``(value, cost)`` if costs are reported; see
            :meth:`Study.run`.
        parameters: the parameters by name, such as ``{"lr": eke.Float(1e-5, 1e-1, log=True)}``.
        budget: the most to spend. Wall time is given in seconds, or like "2h30m". It may be a dict as in the study file, such as
            ``{"total": 200, "per_trial": 20, "deadline": "72h"}``.
        name: the name of the study. A study of that name that exists is continued, within its own budget; see :meth:`Study.add_budget`.
            What else is given is changed in it, and a warning says so; see :meth:`Client.create`.
        cost: "walltime", which is measured, or the unit in which f reports costs, such as "core-hours".
        client, server, token: the server to use; see :class:`Client`. The default is ``$EKE_SERVER``. If that is not set, a server is
            started for as long as this program runs. It keeps its studies where the command ``eke`` does: in ``$EKE_DB``, or in the
            file ``eke.db`` of this folder.
        study: more of the study file, such as ``{"noise": True, "start_from": "pilot"}``.
        fidelity: what makes an evaluation thorough, such as ``{"name": "epochs", "min": 1, "max": 81, "log": True}``. It is one more entry
            of the setting, and f may report values on its way: ``eke.current_trial().report(epoch, loss)``.
        limits: limits on other numbers that f returns in a dict, such as ``{"memory": {"max": 8}, "yield": ">= 0.9"}``. A value counts only if
            all limits are met.
        changeover: what it costs to give parameters other values than they had in the trial before, such as
            ``[{"of": ["temperature"], "cost": 20}]``. A price that is left out is learnt. f should return the part of its cost that
            went into changes: ``{"objective": 0.3, "cost": 25, "setup": 20}``. Every thread or process has a last setting of its own.
        initial: what is set before the first trial, such as ``{"temperature": 20}``. If it is left out, the first trial pays for all of it.
        objective: what the value is called, and what it can be, such as ``{"name": "loss", "min": 0}``. No forecast goes beyond ``min`` and ``max``,
            and a study whose best value is as good as any can be is over.
        seed: studies with the same seed and the same results have the same trials.
        workers, n_jobs, max_trials, max_failures, patience, max_wait, on_trial, progress: see :meth:`Study.run`.
    """
    own = {"fidelity": fidelity, "limits": limits, "changeover": changeover, "initial": initial, "objective": objective, "seed": seed}
    return _optimize("minimize", f, parameters, budget, name, cost, client, server, token, study, own, workers, n_jobs, dict(
        max_trials=max_trials, max_failures=max_failures, patience=patience, max_wait=max_wait, on_trial=on_trial, progress=progress))


def maximize(f: Function, parameters: Mapping[str, Parameter], budget: Union[float, str, Mapping[str, Any]], *, name: Optional[str] = None,
             cost: str = "walltime", client: Optional[Client] = None, server: Optional[str] = None, token: Optional[str] = None,
             study: Optional[Mapping[str, Any]] = None, fidelity: Optional[Mapping[str, Any]] = None,
             limits: Optional[Mapping[str, Any]] = None, changeover: Optional[Sequence[Mapping[str, Any]]] = None,
             initial: Optional[Mapping[str, Any]] = None, objective: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None, workers: int = 1, n_jobs: int = 1,
             max_trials: Optional[int] = None, max_failures: int = 10, patience: float = 3600.0, max_wait: float = 3600.0,
             on_trial: Optional[Callable[[TrialInfo], None]] = None, progress: Optional[bool] = None) -> Result:
    """Finds the setting for which f returns the most, within a budget; see :func:`minimize`."""
    own = {"fidelity": fidelity, "limits": limits, "changeover": changeover, "initial": initial, "objective": objective, "seed": seed}
    return _optimize("maximize", f, parameters, budget, name, cost, client, server, token, study, own, workers, n_jobs, dict(
        max_trials=max_trials, max_failures=max_failures, patience=patience, max_wait=max_wait, on_trial=on_trial, progress=progress))


def optimize(f: Function, parameters: Mapping[str, Parameter], objectives: Mapping[str, Union[str, Mapping[str, Any]]],
             budget: Union[float, str, Mapping[str, Any]], *, name: Optional[str] = None, cost: str = "walltime",
             client: Optional[Client] = None, server: Optional[str] = None, token: Optional[str] = None,
             study: Optional[Mapping[str, Any]] = None, limits: Optional[Mapping[str, Any]] = None,
             changeover: Optional[Sequence[Mapping[str, Any]]] = None, initial: Optional[Mapping[str, Any]] = None, seed: Optional[int] = None,
             workers: int = 1, n_jobs: int = 1,
             max_trials: Optional[int] = None, max_failures: int = 10, patience: float = 3600.0, max_wait: float = 3600.0,
             on_trial: Optional[Callable[[TrialInfo], None]] = None, progress: Optional[bool] = None) -> Result:
    """Finds the front of two or three objectives within a budget: the settings that no other dominates. One dominates another
    if it is at least as good in every objective, and better in one.

    Args:
        f: takes a setting, which is a dict, and returns a dict of all objectives by name, such as ``{"accuracy": 0.9, "latency_ms": 12}``,
            and "cost" if costs are reported. A result that lacks an objective counts as failed, and the others are data.
        objectives: the goal of each, such as ``{"accuracy": "maximize", "latency_ms": {"goal": "minimize", "min": 0, "worst": 200}}``. worst is the worst
            that counts. If it is left out, it is found from the first results. min and max are what it can be:
            with ``"min": 0``, no forecast of a latency goes below 0.
        parameters, budget, and all others: see :func:`minimize`.

    The result's :meth:`Result.front` lists the front, and :meth:`Result.front_dataframe` returns it as a pandas DataFrame.
    """
    if not isinstance(objectives, Mapping):
        raise TypeError(f"objectives must be a dict of goals by name, not {type(objectives).__name__}")
    goals = {key: {"goal": goal} if isinstance(goal, str) else dict(goal) for key, goal in objectives.items()}
    own = {"limits": limits, "changeover": changeover, "initial": initial, "seed": seed}
    return _optimize("minimize", f, parameters, budget, name, cost, client, server, token, {**(study or {}), "objectives": goals}, own, workers, n_jobs, dict(
        max_trials=max_trials, max_failures=max_failures, patience=patience, max_wait=max_wait, on_trial=on_trial, progress=progress))
